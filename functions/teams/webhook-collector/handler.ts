import type { Webhook } from "#shared/teams/webhooks/webhook.ts";
import { addLate } from "./add-late.ts";
import { collect } from "./collect.ts";
import type { Deps } from "./deps.ts";

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
