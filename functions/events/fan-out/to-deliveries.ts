import type { Connection } from "#shared/conversations/connections/connection.ts";
import type { BotEvent } from "#shared/events/bot-event.ts";
import {
  type Delivery,
  type DeliveryRecipient,
  queueBytes,
  shardOf,
} from "#shared/events/delivery-message.ts";
import {
  type EventMessage,
  idForRecipient,
  overlayIdOf,
  type Recipient,
} from "#shared/events/event-message.ts";
import { readableBytes } from "#shared/events/sockets/socket-poster.ts";
import { inPlaceOf } from "#shared/platform/data/unknown-fields.ts";
import type { Sample } from "#shared/platform/usage/sample.ts";
import type { Audiences } from "./audiences.ts";
import type { Deps } from "./deps.ts";

/** Larger events for several recipients are stored once, so that a log entry stays within one write unit. */
const inlineBytes = 512;

/** An event, divided by its recipients. */
export interface DividedEvent {
  /** By the shard of the recipients. */
  readonly byShard: ReadonlyMap<string, Delivery>;
  readonly forBots: readonly BotEvent[];
}

/**
 * Divide an event by the shards of its recipients, and apart from those by bots. Stores large parts first, each once:
 * the event itself, and overlays for single recipients.
 *
 * @param options.isRepeated whether a part may have been passed on already
 * @param options.requestId id of the request that has caused it
 * @param options.sample the sample to which that request belongs, if it is measured
 */
export async function toDeliveries(
  deps: Deps & { readonly audiences: Audiences },
  message: EventMessage,
  {
    isRepeated,
    requestId,
    sample,
  }: { isRepeated: boolean; requestId?: string | undefined; sample?: Sample | undefined },
): Promise<DividedEvent> {
  const { eventId, isTransient, hasOwnViews, push, source, committedAt, contactsOf } = message;
  const event = JSON.stringify(message.event);
  const bytes = Buffer.byteLength(event);
  const payloads = new Map<string, string>();
  // An event too large for any frame is not stored for recipients who would get it only in frames.
  const isForFramesOnly =
    isTransient && message.recipients.every(({ isTeam, service }) => !isTeam && service === undefined);
  const maxBytes = isForFramesOnly ? readableBytes : Number.POSITIVE_INFINITY;
  const all = message.recipients.flatMap((recipient) =>
    toDeliveryRecipient(message, recipient, { payloads, maxOverlayBytes: maxBytes - bytes }),
  );
  const recipients = all.filter(({ service }) => service === undefined);
  const membersOf = await deps.audiences.limit(message.membersOf);
  // An event with limited fan-out excludes the connection that caused it only if the limit applies.
  const isUnlimited = message.membersOf?.members === "all-unless-limited" && membersOf?.members === "all";
  const origin = isUnlimited ? undefined : message.origin;
  const isForSeveral = recipients.length > 1 || contactsOf !== undefined || membersOf !== undefined;
  const inlineOverlayBytes = Math.max(0, ...recipients.map(({ overlay = "" }) => overlay.length));
  const isShared = isForSeveral ? bytes + inlineOverlayBytes > inlineBytes : bytes > queueBytes;
  if (isShared && bytes <= maxBytes) payloads.set(eventId, `[${event}]`);
  await deps.notifications.putPayloads(payloads);
  const inQueue = inPlaceOf(message, {
    eventId,
    requestId,
    sample,
    ...(bytes <= queueBytes && { event }),
  });
  const common = {
    ...inQueue,
    isTransient,
    hasOwnViews,
    origin,
    push,
    source,
    committedAt,
    bytes,
    isShared,
    isRepeated,
  };
  const byShard = new Map<string, DeliveryRecipient[]>();
  for await (const recipient of recipientsOf(deps, { recipients, contactsOf, membersOf, committedAt })) {
    const shard = shardOf(recipient.userId, deps.settings.deliveryShards);
    const ofShard = byShard.get(shard);
    if (ofShard === undefined) byShard.set(shard, [recipient]);
    else ofShard.push(recipient);
  }
  return {
    byShard: new Map([...byShard].map(([shard, ofShard]) => [shard, { ...common, recipients: ofShard }])),
    forBots: all.flatMap((recipient) => toBotEvent(inQueue, recipient)),
  };
}

function toBotEvent(
  event: Pick<BotEvent, "eventId" | "event" | "requestId" | "sample">,
  { service, userId, clientIds = [], overlay, overlayId }: DeliveryRecipient,
): BotEvent[] {
  if (service === undefined) return [];
  // Even without devices, each of several bots has an id of its own.
  const id = idForRecipient(event.eventId, { userId, clientIds });
  return [{ ...event, id, botId: userId, service, overlay, overlayId }];
}

/**
 * @param options.payloads gets the overlay if it must be stored separately
 * @returns nothing for a recipient whose overlay is too large
 */
function toDeliveryRecipient(
  { eventId }: Pick<EventMessage, "eventId">,
  { overlay, ...recipient }: Recipient,
  { payloads, maxOverlayBytes }: { payloads: Map<string, string>; maxOverlayBytes: number },
): DeliveryRecipient[] {
  if (overlay === undefined) return maxOverlayBytes < 0 ? [] : [recipient];
  const text = JSON.stringify(overlay);
  const overlayBytes = Buffer.byteLength(text);
  if (overlayBytes > maxOverlayBytes) return [];
  if (overlayBytes <= queueBytes) return [{ ...recipient, overlay: text, overlayBytes }];
  const overlayId = overlayIdOf(eventId, recipient);
  payloads.set(overlayId, text);
  return [{ ...recipient, overlayId, overlayBytes }];
}

interface Audience extends Pick<EventMessage, "contactsOf" | "membersOf" | "committedAt"> {
  readonly recipients: readonly DeliveryRecipient[];
}

/** Yields the named recipients, then each further one once, even if several audiences contain it. */
async function* recipientsOf(
  deps: LookUpDeps,
  { recipients, ...others }: Audience,
): AsyncGenerator<DeliveryRecipient> {
  yield* recipients;
  const seen = new Set(recipients.map(({ userId }) => userId));
  for await (const userId of lookedUp(deps, others)) {
    if (seen.has(userId)) continue;
    seen.add(userId);
    yield { userId };
  }
}

type LookUpDeps = Pick<Deps, "connections"> & { readonly audiences: Audiences };

async function* lookedUp(
  { audiences, connections }: LookUpDeps,
  { contactsOf, membersOf, committedAt }: Omit<Audience, "recipients">,
): AsyncGenerator<string> {
  if (contactsOf !== undefined) {
    for await (const row of connections.ofUser(contactsOf)) {
      if (isOrWasContact(row, committedAt)) yield row.peerId;
    }
  }
  if (membersOf !== undefined) yield* audiences.members(membersOf);
}

/**
 * Contacts that legal hold suspended after the commit still count, because the event may be the one that reports it.
 */
const isOrWasContact = ({ status, statusBeforeHold, updatedAt }: Connection, committedAt: number): boolean =>
  status === "accepted" || (statusBeforeHold === "accepted" && updatedAt >= committedAt);
