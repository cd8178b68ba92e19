import type { MessageSource } from "#shared/events/backlog-store.ts";
import type { Delivery } from "#shared/events/delivery-message.ts";
import { conversationOf } from "#shared/events/publisher.ts";
import type { Deps } from "./deps.ts";

/**
 * Number of late events within the time of a mark that shows a backlog. Fewer may be late just because they wait behind
 * those of others.
 */
const fewestLate = 20;

type MarkDeps = Pick<Deps, "backlogs" | "clock" | "log" | "settings">;

/**
 * Creates a function that marks conversations and senders with many late events, so that they cannot send for a while.
 * A failure only delays the mark.
 */
export function createBacklogMarker({ backlogs, clock, log, settings }: MarkDeps) {
  const { afterSecs, pauseSecs } = settings.setMessageBacklog;
  let since = clock();
  /** Ids of late events by source. */
  const lateEvents = new Map<string, Set<string>>();

  /** @returns the sources of the event that have a backlog */
  function count({ eventId, source }: Delivery): MessageSource[] {
    const conversationId = source && conversationOf(source.group);
    const sources = [
      ...(conversationId === undefined ? [] : [{ conversationId }]),
      ...(source?.userId === undefined ? [] : [{ userId: source.userId }]),
    ];
    return sources.filter((one: MessageSource) => {
      const name = JSON.stringify(one);
      const eventIds = lateEvents.get(name) ?? new Set();
      lateEvents.set(name, eventIds);
      // An event comes once for each shard, and for each part of a shard's recipients.
      return eventIds.size < fewestLate && eventIds.add(eventId).size === fewestLate;
    });
  }

  return async (deliveries: readonly Delivery[]): Promise<void> => {
    const now = clock();
    if (now - since >= pauseSecs * 1000) {
      lateEvents.clear();
      since = now;
    }
    const late = deliveries.filter(({ committedAt }) => now - committedAt >= afterSecs * 1000);
    const found = late.flatMap(count);
    if (found.length === 0) return;
    try {
      await backlogs.mark(found);
      log.warn("messages-wait", { sources: found });
    } catch (error) {
      log.warn("backlogs-not-marked", { error: error as Error });
    }
  };
}
