import type { EventPublisher } from "#shared/events/publisher.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Addressee, toRecipient } from "../conversation-member.ts";
import { envelopeOf } from "../events/conversation-event.ts";
import { conversationOtrMessageAdd } from "../events/messages.ts";
import type { DeviceIds } from "./devices-of.ts";
import { type DevicesByUser, type Message, requiresDevicesOf } from "./message.ts";

/** The outcome of a message. */
export interface Sending extends Omit<Comparison, "deliveries"> {
  /** Unix milliseconds. */
  readonly time: number;
  readonly isSent: boolean;
}

interface Target {
  readonly actor: Actor;
  /** Devices of all users who should get it, including the sender. */
  readonly expected: DeviceIds;
  /** Unix milliseconds. */
  readonly time: number;
  /** Group of messages that are delivered in order. */
  readonly group: string;
  /** The conversation in which a recipient sees it. */
  readonly conversationOf: (userId: string) => string;
  /** Bots among the recipients, by user. */
  readonly bots?: ReadonlyMap<string, Addressee>;
}

/**
 * Check that the sending device is one of the sender's.
 * @throws ApiError `foreign-sending-device`
 */
export function checkSendingDevice(
  { sender }: Message,
  { actor, expected }: Pick<Target, "actor" | "expected">,
): void {
  if (!expected.get(actor.userId)?.includes(sender)) throw new ApiError("foreign-sending-device");
}

/** Send a message to the devices that it addresses, unless a required device is missing. */
export function send(
  { events, settings }: { readonly events: EventPublisher; readonly settings: Settings },
  message: Message,
  { actor, expected, time, group, conversationOf, bots }: Target,
): Partial<Change> & { readonly result: Sending } {
  const { userId: senderId } = actor;
  const { deliveries, ...lists } = compareDevices(message, { senderId, expected });
  const isSent = Object.keys(lists.missing).length === 0;
  const result = { ...lists, time, isSent };
  if (!isSent || deliveries.length === 0) return { result };

  const envelopeFor = (userId: string) =>
    envelopeOf(
      { conversationId: conversationOf(userId) },
      { from: senderId, time, isChange: false },
      settings,
    );
  const common = envelopeFor(senderId);
  const recipients = deliveries.map(({ userId, clientId, text }) => {
    const { conversation, qualified_conversation } = envelopeFor(userId);
    return {
      ...toRecipient(bots?.get(userId) ?? { userId }),
      clientIds: [clientId],
      overlay: {
        ...(conversation !== common.conversation && { conversation, qualified_conversation }),
        data: { recipient: clientId, text },
      },
    };
  });
  const spec = { ...conversationOtrMessageAdd, isTransient: message.isTransient };
  return {
    messages: events.to({ group, recipients, origin: actor, time, push: message.push }, spec, {
      ...common,
      // Each device has its own recipient and text.
      data: { sender: message.sender, recipient: "", text: "", data: message.blob },
    }),
    result,
  };
}

/** A ciphertext and the device that it is for. */
interface Delivery {
  readonly userId: string;
  readonly clientId: string;
  /** base64 */
  readonly text: string;
}

/** How the devices that a message addresses differ from those that it should address. */
interface Comparison {
  /** Required devices that it lacks; if there are any, it is not sent. */
  readonly missing: DevicesByUser;
  /** Addressed devices that no longer exist. */
  readonly deleted: DevicesByUser;
  /** Addressed devices of users who should not get it, and the sending device. */
  readonly redundant: DevicesByUser;
  readonly deliveries: readonly Delivery[];
}

/**
 * Compares the devices that a message addresses with those that should get it.
 * @param expected ids of the devices of each user who should get it, the sender among them
 */
export function compareDevices(
  { sender, recipients, strategy }: Pick<Message, "sender" | "recipients" | "strategy">,
  { senderId, expected }: { senderId: string; expected: ReadonlyMap<string, readonly string[]> },
): Comparison {
  const isSender = (userId: string, clientId: string) => userId === senderId && clientId === sender;
  const missing = new Lists();
  for (const [userId, clientIds] of expected) {
    if (!requiresDevicesOf(strategy, userId)) continue;
    const addressed = recipients.get(userId);
    for (const clientId of clientIds) {
      if (!addressed?.has(clientId) && !isSender(userId, clientId)) missing.add(userId, clientId);
    }
  }

  const deleted = new Lists();
  const redundant = new Lists();
  const deliveries: Delivery[] = [];
  for (const [userId, texts] of recipients) {
    const clientIds = expected.get(userId);
    const known = new Set(clientIds);
    for (const [clientId, text] of texts) {
      if (clientIds === undefined || isSender(userId, clientId)) redundant.add(userId, clientId);
      else if (known.has(clientId)) deliveries.push({ userId, clientId, text });
      else deleted.add(userId, clientId);
    }
  }
  return { missing: missing.byUser, deleted: deleted.byUser, redundant: redundant.byUser, deliveries };
}

/** Lists of devices by user. */
class Lists {
  readonly byUser: DevicesByUser = {};

  add(userId: string, clientId: string): void {
    const list = this.byUser[userId];
    if (list === undefined) this.byUser[userId] = [clientId];
    else list.push(clientId);
  }
}
