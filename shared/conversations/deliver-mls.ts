import { createHash } from "node:crypto";
import { devicesByUser, type Leaf, type Leaves } from "#shared/devices/mls/leaves.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import type { PopulatedConversation } from "./conversation-store.ts";
import { envelopeOf } from "./events/conversation-event.ts";
import { conversationMlsMessageAdd, conversationMlsWelcome } from "./events/messages.ts";

interface Delivery {
  readonly conversationId: string;
  /** Absent: the message is for the group of the conversation itself. */
  readonly subconversationId?: string;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly time: number;
  /** The sending device, which does not get it; absent: the service sends it. */
  readonly sender?: Leaf;
  readonly leaves: Pick<Leaves, "values">;
  readonly bytes: Buffer;
}

type DeliveryDeps = Pick<ConversationDeps, "events" | "settings">;

/**
 * The devices of a group that may get its messages: not those of users who have just left. In a conversation of two
 * users, a user who blocks the other is no member, but still has devices in the group.
 */
export function entitledDevices(leaves: Leaves, { conversation, members }: PopulatedConversation): Leaves {
  const { type, departed = [] } = conversation;
  if (type !== "one-to-one" && departed.length === 0) return leaves;
  const gone = new Set(departed);
  const isMember = new Set(members.map(({ userId }) => userId));
  return new Map(
    [...leaves].filter(([, { userId }]) =>
      type === "one-to-one" ? isMember.has(userId) : !gone.has(userId),
    ),
  );
}

/** Send a message to the devices of a group, except the sending one and those that are about to be removed. */
export const deliverMessage = (deps: DeliveryDeps, delivery: Delivery): OutboxMessage[] =>
  deliver(deps, conversationMlsMessageAdd, delivery);

/** Send a welcome to the devices that a commit adds. */
export const deliverWelcome = (
  deps: DeliveryDeps,
  { added, ...delivery }: Omit<Delivery, "leaves"> & { readonly added: readonly Leaf[] },
): OutboxMessage[] =>
  deliver(deps, conversationMlsWelcome, { ...delivery, leaves: new Map(added.entries()) });

function deliver(
  { events, settings }: DeliveryDeps,
  spec: typeof conversationMlsMessageAdd,
  { conversationId, subconversationId, actor, time, sender, leaves, bytes }: Delivery,
): OutboxMessage[] {
  const recipients = [...devicesByUser(leaves)]
    .map(([userId, devices]) => ({
      userId,
      clientIds: devices.filter((clientId) => userId !== sender?.userId || clientId !== sender.clientId),
    }))
    .filter(({ clientIds }) => clientIds.length > 0);
  const cause = { from: actor.userId, time, isChange: false };
  const group = groupOf(conversationId, subconversationId);
  return events.to({ group, recipients, origin: actor, time }, spec, {
    ...envelopeOf({ conversationId, subconversationId }, cause, settings),
    data: bytes.toString("base64"),
  });
}

/** Events of a call and of the conversation do not wait for each other. Names of groups in queues are short. */
const groupOf = (conversationId: string, subconversationId: string | undefined): string =>
  subconversationId === undefined
    ? conversationGroup(conversationId)
    : `${conversationGroup(conversationId)}#${createHash("sha256").update(subconversationId).digest("hex").slice(0, 32)}`;
