import type { Delivery, DeliveryRecipient } from "#shared/events/delivery-message.ts";
import { idForRecipient } from "#shared/events/event-message.ts";
import { type EventFields, eventView } from "#shared/events/event-view.ts";
import type { Appended, LogEvent } from "#shared/events/log-writer.ts";
import { type Content, contentOf, type Notification, streams } from "#shared/events/notification.ts";
import type { Entry } from "#shared/events/notification-store.ts";
import type { NativePush, PushPriority } from "#shared/events/push/native-push.ts";
import { parseExactJson } from "#shared/platform/exact-json.ts";
import { requestIdsOf } from "#shared/platform/request-id.ts";
import { isPresent } from "#shared/teams/team.ts";
import type { Deps } from "./deps.ts";
import { type Post, postToUser } from "./post-to-user.ts";
import { sendPushes } from "./send-pushes.ts";
import { SharedPayloads } from "./shared-payloads.ts";

/** Recipients to whom events are posted concurrently. */
const concurrency = 32;

/** Deliveries of one queue message. */
export interface DeliveryBatch {
  readonly deliveries: readonly Delivery[];
  /** Whether an earlier attempt may have stored a part. */
  readonly isRepeated: boolean;
}

interface PendingEvent extends LogEvent, Pick<Delivery, "isTransient" | "origin" | "requestId"> {
  /** Whether there was an earlier delivery, so that queues of devices may already have the event. */
  readonly isRedelivered: boolean;
  /** How urgently to wake devices that no socket reaches; absent: not at all. */
  readonly push: PushPriority | undefined;
}

/** The notifications on their way to one recipient. */
interface Pending {
  readonly userId: string;
  /** Whether the id is that of a team, whose log gets them. */
  readonly isTeam: boolean;
  /** The log for events that are not transient. */
  readonly stream: string;
  /** In order, by the ids of their notifications. */
  readonly events: Map<string, PendingEvent>;
  /** Batches from which the events came. */
  readonly batches: Set<DeliveryBatch>;
}

/**
 * Store events in the logs of their recipients together, post them, and wake devices that no socket reached. Storing is
 * idempotent; posting may be repeated after a failure, which clients recognise by the notification's id.
 *
 * @returns the recipients for whom a batch failed, with the reason, by batch; batches without failures are left out
 */
export async function deliver(
  deps: Deps,
  batches: readonly DeliveryBatch[],
): Promise<Map<DeliveryBatch, Map<string, unknown>>> {
  const recipients = await withoutEndedTeams(deps, [...byRecipient(batches).values()]);
  const logs = new Map(
    recipients.map(({ stream, events }) => [
      stream,
      [...events.values()].filter(({ isTransient }) => !isTransient),
    ]),
  );
  for (const [stream, events] of logs) if (events.length === 0) logs.delete(stream);
  const appended = await deps.logWriter.append(logs);
  return postAll(deps, recipients, appended);
}

/** Post the stored notifications, and wake devices. @returns failures, including those of storing, as `deliver` does */
async function postAll(
  deps: Deps,
  recipients: readonly Pending[],
  appended: ReadonlyMap<string, Appended>,
): Promise<Map<DeliveryBatch, Map<string, unknown>>> {
  // Read after the append, so that a socket that opens later finds the event in the log.
  const reach = await deps.sockets.reachOf(
    recipients.map(({ userId }) => userId),
    new Set(recipients.filter(wakesDevices).map(({ userId }) => userId)),
  );
  const payloads = new SharedPayloads(deps);
  const failures = new Map<DeliveryBatch, Map<string, unknown>>();
  const pushes: NativePush[] = [];
  const waiting = recipients.values();
  const work = async () => {
    for (const recipient of waiting) {
      const { userId, stream } = recipient;
      const { notifications = [], error } = appended.get(stream) ?? {};
      try {
        if (reach.has(userId)) {
          const posts = inOrder(recipient, notifications);
          pushes.push(...(await postToUser(deps, { userId, reach: reach.get(userId), payloads }, posts)));
        }
        if (error !== undefined) throw error;
      } catch (failure) {
        for (const batch of recipient.batches) {
          const failed = failures.get(batch) ?? new Map<string, unknown>();
          failures.set(batch, failed.set(userId, failure));
        }
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await sendPushes(deps, pushes);
  return failures;
}

/**
 * Drops events for the log of a team that is deleted or being deleted, because nobody would ever delete that log again.
 */
async function withoutEndedTeams({ teams }: Deps, recipients: Pending[]): Promise<Pending[]> {
  const teamIds = recipients.filter(({ isTeam }) => isTeam).map(({ userId }) => userId);
  if (teamIds.length === 0) return recipients;
  const present = new Set((await teams.getMany(teamIds)).filter(isPresent).map(({ teamId }) => teamId));
  return recipients.filter(({ isTeam, userId }) => !isTeam || present.has(userId));
}

function byRecipient(batches: readonly DeliveryBatch[]): Map<string, Pending> {
  const recipients = new Map<string, Pending>();
  for (const batch of batches) {
    for (const delivery of batch.deliveries) {
      const show = viewsOf(delivery);
      for (const recipient of delivery.recipients) {
        const { userId, isTeam = false } = recipient;
        const stream = isTeam ? streams.team(userId) : streams.user(userId);
        const pending = recipients.get(userId) ?? newPending({ userId, isTeam, stream });
        recipients.set(userId, pending);
        pending.batches.add(batch);
        const event = toPendingEvent(delivery, recipient, { batch, text: show(recipient) });
        const known = pending.events.get(event.eventId);
        // A repeated delivery can arrive together with the original.
        if (known === undefined) pending.events.set(event.eventId, event);
        else pending.events.set(event.eventId, { ...known, isRepeated: true, isRedelivered: true });
      }
    }
  }
  return recipients;
}

const newPending = (facts: Pick<Pending, "userId" | "isTeam" | "stream">): Pending => ({
  ...facts,
  events: new Map(),
  batches: new Set(),
});

/** @returns a function that writes an event as a recipient sees it; undefined when a part of it must be read first */
function viewsOf({ event, hasOwnViews }: Delivery): (recipient: DeliveryRecipient) => string | undefined {
  let parsed: EventFields | undefined;
  return ({ userId, overlay, overlayId }) => {
    if (event === undefined || overlayId !== undefined) return undefined;
    if (overlay === undefined && !hasOwnViews) return event;
    parsed ??= parseExactJson(event) as EventFields;
    const differences = {
      overlay: overlay === undefined ? undefined : (parseExactJson(overlay) as EventFields),
      viewerId: hasOwnViews ? userId : undefined,
    };
    return JSON.stringify(eventView(parsed, differences));
  };
}

function toPendingEvent(
  delivery: Delivery,
  recipient: DeliveryRecipient,
  { batch, text }: { batch: DeliveryBatch; text: string | undefined },
): PendingEvent {
  const { eventId, committedAt, event, bytes, isShared, isTransient, hasOwnViews, origin, push, requestId } =
    delivery;
  const {
    userId,
    clientIds,
    overlay,
    overlayId,
    overlayBytes = 0,
    isTeam = false,
    isNew = false,
    isStoredBySender = false,
  } = recipient;
  const isRedelivered = batch.isRepeated || delivery.isRepeated;
  const skips = origin?.userId === userId ? origin : undefined;
  const isApart = isShared || overlayId !== undefined;
  return {
    eventId: idForRecipient(eventId, recipient),
    committedAt,
    isRepeated: isRedelivered || isStoredBySender,
    isRedelivered,
    isFirst: isNew,
    clientIds,
    text,
    content: isApart
      ? {
          ...(isShared ? { payloadId: eventId } : { payload: `[${event}]` }),
          overlay,
          overlayId,
          viewerId: hasOwnViews ? userId : undefined,
          bytes: bytes + overlayBytes,
        }
      : { payload: `[${text}]` },
    isTransient: isTransient && !isTeam,
    requestId,
    origin: skips,
    push: isTeam || isTransient || push?.exceptUserId === userId ? undefined : push?.priority,
    audience: JSON.stringify([clientIds, skips?.connectionId]),
  };
}

/** Merges stored and transient notifications in the order of the events. */
function inOrder(
  { events }: Pending,
  stored: readonly { notification: Notification; event: LogEvent }[],
): Post[] {
  const byEvent = new Map(stored.map((one) => [one.event.eventId, one.notification]));
  return [...events.values()].flatMap((event) => {
    const { eventId, committedAt, clientIds, content, text, isTransient, isRedelivered, origin } = event;
    const notification = byEvent.get(eventId);
    // A notification is posted with all its events, at the position of the first one.
    if (!isTransient && notification === undefined) return [];
    const shown: Content = notification === undefined ? content : contentOf(notification);
    const entry: Entry = {
      eventId: notification?.eventId ?? eventId,
      committedAt,
      isRepeated: isRedelivered,
      clientIds,
      ...shown,
    };
    const ids = [eventId, ...(notification?.moreEventIds ?? [])];
    const isOne = notification?.moreEventIds === undefined;
    return [
      {
        id: notification?.id ?? eventId,
        entry,
        text: isOne && text !== undefined ? `[${text}]` : undefined,
        isTransient,
        origin,
        push: highest(ids.map((id) => events.get(id)?.push)),
        requestIds: requestIdsOf(ids.flatMap((id) => events.get(id) ?? [])),
      },
    ];
  });
}

/** Whether an event for the recipient wakes devices that no socket reaches. */
const wakesDevices = ({ events }: Pending) => [...events.values()].some(({ push }) => push !== undefined);

/** The priority of the most urgent event of a notification. */
const highest = (priorities: readonly (PushPriority | undefined)[]): PushPriority | undefined =>
  priorities.includes("high") ? "high" : priorities.find((priority) => priority !== undefined);
