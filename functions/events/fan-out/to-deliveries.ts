import { type Delivery, shardOf } from "#shared/events/delivery-message.ts";
import type { EventMessage, Recipient } from "#shared/events/event-message.ts";
import { maxItemTextBytes } from "#shared/platform/data/split-text.ts";
import type { Deps } from "./deps.ts";

/** Larger events for several recipients are stored once, so that a log entry stays within one write unit. */
const inlineBytes = 512;
/** Larger events are not sent through the queue, but read from where they are stored. */
const queueBytes = 16 * 1024;

/**
 * Divide an event by the shards of its recipients; first stores it once for all of them, if it is large.
 *
 * @param options.isRepeated whether some of it may have been handed on already
 */
export async function toDeliveries(
  deps: Deps,
  message: EventMessage,
  { isRepeated }: { isRepeated: boolean },
): Promise<Map<string, Delivery>> {
  const { eventId, isTransient, origin, committedAt } = message;
  const event = JSON.stringify(message.event);
  const bytes = Buffer.byteLength(event);
  const isForSeveral = message.recipients.length > 1 || message.contactsOf !== undefined;
  const isShared = bytes > (isForSeveral ? inlineBytes : Math.min(queueBytes, maxItemTextBytes));
  if (isShared) await deps.notifications.putSharedPayload(eventId, `[${event}]`);
  const common = {
    eventId,
    isTransient,
    origin,
    committedAt,
    isShared,
    isRepeated,
    ...(bytes <= queueBytes && { event }),
  };
  const byShard = new Map<string, Recipient[]>();
  for await (const recipient of recipientsOf(deps, message)) {
    const shard = shardOf(recipient.userId, deps.settings.deliveryShards);
    const recipients = byShard.get(shard);
    if (recipients === undefined) byShard.set(shard, [recipient]);
    else recipients.push(recipient);
  }
  return new Map([...byShard].map(([shard, recipients]) => [shard, { ...common, recipients }]));
}

async function* recipientsOf(
  { connections }: Deps,
  { recipients, contactsOf }: EventMessage,
): AsyncGenerator<Recipient> {
  yield* recipients;
  if (contactsOf === undefined) return;
  for await (const { peerId, status } of connections.ofUser(contactsOf)) {
    if (status === "accepted") yield { userId: peerId };
  }
}
