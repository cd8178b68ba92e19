import { graceMilliseconds } from "#shared/platform/audit/audit-record.ts";
import { timeOf } from "#shared/platform/audit/place.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { latePlace, type Webhook } from "#shared/teams/webhooks/webhook.ts";
import { add, batchSize, collect, toDelivery } from "./collect.ts";
import type { Deps } from "./deps.ts";
import { lookFor } from "./look.ts";

export { createDeps } from "./deps.ts";

/** Time for one run, well below its interval; the next run continues. */
const runMilliseconds = 45_000;
/** Webhooks that are served concurrently. */
const concurrency = 8;

/** Collects events for all webhooks, and starts the delivery of those with waiting events. */
export function createHandler(deps: Deps) {
  const { clock, log, nudges, webhooks } = deps;

  async function nudge(webhook: Webhook): Promise<void> {
    try {
      await nudges.send(webhook);
    } catch (error) {
      await webhooks.forgetNudge(webhook);
      throw error;
    }
  }

  async function serve(webhook: Webhook, isTimeUp: () => boolean): Promise<void> {
    try {
      const collected = await collect(deps, webhook, isTimeUp);
      const { waiting } = await addLate(deps, collected, isTimeUp);
      const { nextAttemptAt = 0, leasedUntil = 0 } = webhook;
      const now = clock();
      const isDue = waiting > 0 && nextAttemptAt <= now && leasedUntil <= now;
      if (isDue && (await webhooks.noteNudge(webhook))) await nudge(webhook);
    } catch (error) {
      // One that fails holds up no other; the next run tries again.
      log.error("webhook-not-collected", { webhookId: webhook.webhookId, error: error as Error });
    }
  }

  return async (): Promise<void> => {
    const stopAt = performance.now() + runMilliseconds;
    const isTimeUp = () => performance.now() > stopAt;
    const all = webhooks.all();
    const worker = async () => {
      for (let next = await all.next(); !next.done && !isTimeUp(); next = await all.next()) {
        if (next.value.status === "active") await serve(next.value, isTimeUp);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  };
}

/** How often the collector looks for late events; doing so more often would read more. */
const intervalMilliseconds = 10 * 60_000;

/**
 * Add events whose changes were committed after later events had been collected, for instance because of a wrong clock.
 * They are added behind those, each once. Changes that are committed even later are missing in the files of the audit
 * trail, too.
 *
 * @returns the webhook as it is then, as far as is known
 */
export async function addLate(deps: Deps, webhook: Webhook, isTimeUp: () => boolean): Promise<Webhook> {
  const { clock, log, settings, webhooks } = deps;
  const { collectedUpTo, checkedUpTo: from } = webhook;
  // Otherwise, other events of the same moment still have to be collected.
  const isTime = collectedUpTo === timeOf(collectedUpTo);
  if (from === undefined || !isTime) return webhook;
  const settled = clock() - graceMilliseconds;
  if (settled - Date.parse(timeOf(from)) < intervalMilliseconds) return webhook;
  const settledUpTo = new Date(settled).toISOString();
  const end = collectedUpTo < settledUpTo ? collectedUpTo : settledUpTo;
  let current = webhook;
  const room = () => settings.webhooks.maxWaiting - current.waiting;
  for await (const { found, upTo } of lookFor(deps, webhook, { from, end }, { room, isTimeUp })) {
    const [first, last] = [found[0], found.at(-1)];
    const known = first && last ? await webhooks.placesOf(webhook, first.place, last.place) : new Set();
    const missing = found.filter(({ place }) => !known.has(place));
    const batches = missing.length > 0 ? chunks(missing, batchSize) : [[]];
    for (const [index, batch] of batches.entries()) {
      const checkedUpTo = index === batches.length - 1 ? upTo : (batch.at(-1)?.place ?? upTo);
      const number = current.late ?? 0;
      const deliveries = batch.map(({ place, record }, position) => {
        const late = latePlace(collectedUpTo, number + position, place);
        return toDelivery(webhook, { place: late, record }, clock());
      });
      const late = number + deliveries.length;
      const next = await add(deps, current, { checkedUpTo, ...(late > 0 && { late }) }, deliveries);
      if (next === undefined) return current;
      current = next;
    }
    if (missing.length > 0)
      log.warn("webhook-events-late", { webhookId: webhook.webhookId, number: missing.length });
  }
  return current;
}
