import type { EventPublisher } from "#shared/events/publisher.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Addressee, toRecipient } from "../conversation-member.ts";
import { envelopeOf } from "../events/conversation-event.ts";
import { conversationOtrMessageAdd } from "../events/messages.ts";
import { type Comparison, compareDevices } from "./compare-devices.ts";
import type { DeviceIds } from "./devices-of.ts";
import type { Message } from "./message.ts";

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
