import { hourOf } from "#shared/platform/audit/audit-record.ts";
import { type PlacedRecord, timeOf } from "#shared/platform/audit/place.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { type Delivery, type Webhook, webhookBody } from "#shared/teams/webhooks/webhook.ts";
import type { Progress } from "#shared/teams/webhooks/webhook-store.ts";
import type { Deps } from "./deps.ts";
import { lookFor } from "./look.ts";

/** Events that are added together: a transaction has at most 100 writes. */
export const batchSize = 90;
/** Number of changes of other kinds after which the place moves although nothing is added. */
const worthNoting = 50;

/**
 * Add the events since the last run to the log of a webhook, in the order of their times. Each is added once, because
 * the place in the audit trail moves in the same transaction. Changes of the last seconds are left to the next time,
 * because some that began before them may not have been committed yet.
 *
 * @returns the webhook as it is then, as far as is known
 */
export async function collect(deps: Deps, webhook: Webhook, isTimeUp: () => boolean): Promise<Webhook> {
  const { clock, settings } = deps;
  const end = new Date(clock() - settings.webhooks.settleSeconds * 1000).toISOString();
  let current = webhook;
  const room = () => settings.webhooks.maxWaiting - current.waiting;
  const range = { from: current.collectedUpTo, end };
  for await (const { found, read, upTo } of lookFor(deps, webhook, range, { room, isTimeUp })) {
    // Little has been read, so it is cheaper to read it again than to store the place.
    const isLittle = upTo === end && isOfHour(current.collectedUpTo, end) && read < worthNoting;
    if (found.length === 0 && isLittle) break;
    const batches = found.length > 0 ? chunks(found, batchSize) : [[]];
    for (const [index, batch] of batches.entries()) {
      const isLast = index === batches.length - 1;
      const collectedUpTo = isLast ? upTo : (batch.at(-1)?.place ?? upTo);
      const deliveries = batch.map((change) => toDelivery(webhook, change, clock()));
      const next = await add(deps, current, { collectedUpTo }, deliveries);
      if (next === undefined) return current;
      current = next;
      if (isTimeUp()) return current;
    }
  }
  return current;
}

/** Add events, and move places. @returns the webhook as it is then; undefined if somebody else has changed it */
export async function add(
  { webhooks }: Deps,
  webhook: Webhook,
  progress: Progress,
  deliveries: readonly Delivery[],
): Promise<Webhook | undefined> {
  if (!(await webhooks.collect(webhook, progress, deliveries))) return undefined;
  const { collectedUpTo, checkedUpTo = collectedUpTo, waiting } = webhook;
  return { ...webhook, checkedUpTo, ...progress, waiting: waiting + deliveries.length };
}

const isOfHour = (place: string, end: string) =>
  hourOf(Date.parse(timeOf(place))) === hourOf(Date.parse(end));

export const toDelivery = (
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
