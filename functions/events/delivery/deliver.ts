import type { Delivery } from "#shared/events/delivery-message.ts";
import type { LogEvent } from "#shared/events/log-writer.ts";
import { type Notification, streams } from "#shared/events/notification.ts";
import { isPresent } from "#shared/teams/team.ts";
import type { Deps } from "./deps.ts";
import { type Post, postTo } from "./post-to.ts";

/** Recipients that are posted to concurrently. */
const concurrency = 32;

/** Deliveries of one queue message. */
export interface DeliveryBatch {
  readonly deliveries: readonly Delivery[];
  /** Whether an earlier attempt may have stored some of it. */
  readonly isRepeated: boolean;
}

/** What is on its way to one recipient. */
interface Pending {
  readonly userId: string;
  /** Whether the id is that of a team, whose log it is for. */
  readonly isTeam: boolean;
  /** The log that stores what is not transient. */
  readonly stream: string;
  readonly events: (LogEvent & Pick<Delivery, "isTransient" | "origin">)[];
  /** Batches that the events came with. */
  readonly batches: Set<DeliveryBatch>;
}

/**
 * Store events in the logs of their recipients, all together, then post them. Storing is idempotent; posting may be
 * repeated after a failure, which clients recognise by the notification's id.
 *
 * @returns the recipients of each batch that it failed for, with the reason; batches without failures are left out
 */
export async function deliver(
  deps: Deps,
  batches: readonly DeliveryBatch[],
): Promise<Map<DeliveryBatch, Map<string, unknown>>> {
  const recipients = await withoutEndedTeams(deps, [...byRecipient(batches).values()]);
  const logs = new Map(
    recipients.map(({ stream, events }) => [stream, events.filter(({ isTransient }) => !isTransient)]),
  );
  for (const [stream, events] of logs) if (events.length === 0) logs.delete(stream);
  const appended = await deps.logWriter.append(logs);

  // Read after the append, so that a socket that opens later finds the event in the log.
  const mayReceive = await deps.sockets.whoMayReceive(recipients.map(({ userId }) => userId));
  const failures = new Map<DeliveryBatch, Map<string, unknown>>();
  const waiting = recipients.values();
  const work = async () => {
    for (const recipient of waiting) {
      const { userId, stream } = recipient;
      const { notifications = [], error } = appended.get(stream) ?? {};
      try {
        if (mayReceive.has(userId)) await postTo(deps, userId, inOrder(recipient, notifications));
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
  return failures;
}

/** Drops what is for the log of a team that is being deleted, or has been: its log would never be deleted again. */
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
      for (const { userId, clientIds, isTeam = false } of delivery.recipients) {
        const stream = isTeam ? streams.team(userId) : streams.user(userId);
        const pending = recipients.get(userId) ?? { userId, isTeam, stream, events: [], batches: new Set() };
        recipients.set(userId, pending);
        pending.batches.add(batch);
        const { eventId, committedAt, event, isShared, isTransient, origin } = delivery;
        const skips = origin?.userId === userId ? origin : undefined;
        pending.events.push({
          eventId,
          committedAt,
          isRepeated: batch.isRepeated || delivery.isRepeated,
          clientIds,
          event,
          isShared,
          isTransient,
          origin: skips,
          audience: JSON.stringify([clientIds, skips?.connectionId]),
        });
      }
    }
  }
  return recipients;
}

/** Puts what was stored and what is transient into the order of the events. */
function inOrder(
  { events }: Pending,
  stored: readonly { notification: Notification; event: LogEvent }[],
): Post[] {
  const byEvent = new Map(stored.map((one) => [one.event.eventId, one.notification]));
  return events.flatMap(
    ({ eventId, committedAt, clientIds, event, isShared, isTransient, isRepeated, origin }) => {
      const notification = byEvent.get(eventId);
      // Further events of a notification are posted with its first one.
      if (!isTransient && notification === undefined) return [];
      const ownPayload =
        event === undefined && isShared ? { hasSharedPayload: true } : { payload: `[${event}]` };
      const content: Pick<Notification, "id" | "eventId" | "payload" | "hasSharedPayload"> = notification ?? {
        id: eventId,
        eventId,
        ...ownPayload,
      };
      const { id, payload, hasSharedPayload } = content;
      const text = hasSharedPayload && event !== undefined ? `[${event}]` : undefined;
      const entry = {
        eventId: content.eventId,
        committedAt,
        isRepeated,
        clientIds,
        payload,
        hasSharedPayload,
      };
      return [{ id, entry, text, isTransient, origin }];
    },
  );
}
