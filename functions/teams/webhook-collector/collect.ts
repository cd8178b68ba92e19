import { hourOf } from "#shared/platform/audit/audit-record.ts";
import { type PlacedRecord, timeOf } from "#shared/platform/audit/audit-store.ts";
import { type Delivery, installationChain, type Webhook } from "#shared/teams/webhooks/webhook.ts";
import { webhookBody } from "#shared/teams/webhooks/webhook-body.ts";
import { eventsOf } from "#shared/teams/webhooks/webhook-kinds.ts";
import type { Deps } from "./deps.ts";

const hourMilliseconds = 3_600_000;
/** Events that are added together: a transaction has at most 100 writes. */
const batchSize = 90;
/** Changes of other kinds after which the place moves although nothing is added. */
const worthNoting = 50;

/**
 * Add to what waits for a webhook the events since the last time, in the order of their times, and each once: their place
 * in the audit trail moves in the same transaction. Changes of the last seconds are left to the next time, because some
 * that began before them may not have been committed yet.
 *
 * @returns number of events that wait
 */
export async function collect(deps: Deps, webhook: Webhook, isTimeUp: () => boolean): Promise<number> {
  const { clock, settings, webhooks } = deps;
  const before = new Date(clock() - settings.webhooks.settleSeconds * 1000).toISOString();
  let { collectedUpTo, waiting } = webhook;
  while (collectedUpTo < before && waiting < settings.webhooks.maxWaiting && !isTimeUp()) {
    const hour = hourOf(Date.parse(timeOf(collectedUpTo)));
    const isLastHour = hour === hourOf(Date.parse(before));
    const end = isLastHour ? before : startOfNext(hour);
    const room = settings.webhooks.maxWaiting - waiting;
    const { found, read, isComplete } = await changesOf(
      deps,
      webhook,
      { hour, after: collectedUpTo, before: end },
      room,
    );
    const batches = inBatches(found);
    for (const [index, batch] of batches.entries()) {
      const isLast = index === batches.length - 1;
      const upTo = isLast && isComplete ? end : (batch.at(-1)?.place ?? end);
      const deliveries = batch.map((change) => toDelivery(webhook, change, clock()));
      // The little that has been read is read again rather than noted.
      if (deliveries.length === 0 && isLastHour && read < worthNoting) return waiting;
      if (!(await webhooks.collect({ ...webhook, collectedUpTo }, upTo, deliveries))) return waiting;
      collectedUpTo = upTo;
      waiting += deliveries.length;
    }
  }
  return waiting;
}

/** Changes of a webhook's kinds within an hour, the oldest of them, in order. */
async function changesOf(
  { audit }: Deps,
  { chain, kinds }: Webhook,
  { hour, ...range }: { hour: string; after: string; before: string },
  limit: number,
): Promise<{ found: PlacedRecord[]; read: number; isComplete: boolean }> {
  const events = eventsOf(kinds);
  const found: PlacedRecord[] = [];
  let read = 0;
  if (chain !== installationChain) {
    for await (const change of audit.changesOf(chain, hour, range)) {
      read++;
      if (!events.includes(change.record.event)) continue;
      if (found.length === limit) return { found, read, isComplete: false };
      found.push(change);
    }
    return { found, read, isComplete: true };
  }
  let isComplete = true;
  const keepOldest = () => {
    found.sort((one, other) => (one.place < other.place ? -1 : 1));
    if (found.length > limit) isComplete = false;
    found.splice(limit);
  };
  for await (const change of audit.changesOfAll(hour, range, events)) {
    found.push(change);
    if (found.length >= 2 * limit) keepOldest();
  }
  keepOldest();
  return { found, read, isComplete };
}

const startOfNext = (hour: string) =>
  new Date(Date.parse(`${hour}:00:00.000Z`) + hourMilliseconds).toISOString();

/** At least one batch, which may be empty. */
function inBatches(changes: readonly PlacedRecord[]): PlacedRecord[][] {
  const number = Math.max(1, Math.ceil(changes.length / batchSize));
  return Array.from({ length: number }, (_, index) =>
    changes.slice(index * batchSize, (index + 1) * batchSize),
  );
}

const toDelivery = (
  { webhookId, teamId }: Webhook,
  { place, record }: PlacedRecord,
  now: number,
): Delivery => ({
  webhookId,
  ...(teamId !== undefined && { teamId }),
  place,
  event: record.event,
  body: webhookBody(record),
  waitingSince: now,
  attempts: 0,
});
