import { randomUUID } from "node:crypto";
import type { Clock } from "#shared/platform/clock.ts";
import { StaleReadError } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import type { Log } from "#shared/platform/log.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { TeamStore } from "../team-store.ts";
import { afterFailure } from "./after-failure.ts";
import { type Addressees, offMails } from "./off-mails.ts";
import type { Delivery, Webhook, WebhookKey } from "./webhook.ts";
import type { Attempt, WebhookCalls } from "./webhook-calls.ts";
import type { WebhookNudges } from "./webhook-nudges.ts";
import type { Lease, WebhookStore } from "./webhook-store.ts";

interface Deps extends Pick<StoreContext, "dynamo"> {
  readonly accounts: Addressees;
  readonly calls: WebhookCalls;
  readonly clock: Clock;
  readonly log: Log;
  readonly nudges: WebhookNudges;
  readonly outbox: Outbox;
  readonly settings: Settings;
  readonly teams: TeamStore;
  readonly webhooks: WebhookStore;
}

/** A run begins no attempt after this time, so that it ends well within its lease and before its function does. */
const runMilliseconds = 10_000;
/** How much longer a lease is than an attempt: after a success, the next attempt follows immediately. */
const spareMilliseconds = 10_000;
/** A receiver that takes longer is served with the slow ones. */
const quickMilliseconds = 1000;
/** Status by which a receiver unsubscribes. */
const gone = 410;

/**
 * Send the waiting events of a webhook, one after the other. The first failure ends the run, and the next attempt is at
 * the same event. A receiver that is not quick gets one event in a run, and the next one after the others' turns. Of
 * several runs at once, only one sends.
 */
export async function serveWebhook(deps: Deps, key: WebhookKey): Promise<void> {
  const { calls, nudges, settings, webhooks } = deps;
  const milliseconds = settings.webhooks.timeoutMilliseconds + spareMilliseconds;
  const lease = { token: randomUUID(), milliseconds };
  const stopAt = performance.now() + runMilliseconds;
  const webhook = await webhooks.lease(key, lease);
  if (webhook === undefined) return;
  let isQuick = webhook.isQuick ?? false;
  let hasMore = false;
  let sent = 0;
  for await (const delivery of webhooks.waiting(webhook)) {
    hasMore = performance.now() > stopAt;
    if (hasMore) break;
    const attempt = await calls.attempt(webhook, delivery);
    if (!attempt.isDelivered) return noteFailure(deps, { webhook, lease, delivery, attempt });
    const wasQuick = isQuick;
    isQuick = attempt.milliseconds <= quickMilliseconds;
    if (!(await webhooks.noteDelivered(webhook, lease, delivery, attempt, isQuick))) return;
    sent++;
    // A receiver that has just become quick continues in the queue for quick ones.
    if (isQuick && wasQuick) continue;
    hasMore = webhook.waiting > sent;
    break;
  }
  if ((await webhooks.release(key, lease, hasMore)) && hasMore) await nudges.send({ ...webhook, isQuick });
}

interface Failed {
  readonly webhook: Webhook;
  readonly lease: Lease;
  readonly delivery: Delivery;
  readonly attempt: Attempt;
}

async function noteFailure(deps: Deps, { webhook, lease, delivery, attempt }: Failed): Promise<void> {
  const { clock, log, webhooks } = deps;
  const current = (await webhooks.get(webhook)) ?? webhook;
  const next = afterFailure({ ...current, waitingSince: delivery.waitingSince }, clock());
  const { webhookId, teamId } = webhook;
  try {
    if (attempt.answer === gone || next.isHopeless) {
      const reason = attempt.answer === gone ? "gone" : "failing";
      await change(deps, async () => ({
        writes: webhooks.noteOff(webhook, lease, delivery, attempt, reason),
        messages: await offMails(deps, current),
      }));
      log.warn("webhook-switched-off", { webhookId, teamId, reason });
      return;
    }
    const givenUp = await expired(deps, current);
    if (givenUp !== undefined)
      log.warn("webhook-events-given-up", { webhookId, teamId, number: givenUp.number });
    await change(deps, async () => ({
      writes: webhooks.noteFailed(webhook, lease, delivery, attempt, { ...next, givenUp }),
    }));
  } catch (error) {
    // Another run has the lease, and records the next attempts.
    if (!(error instanceof StaleReadError)) throw error;
  }
}

/** How long an event is retried. */
const patienceMilliseconds = 24 * 3_600_000;

/** Events that have waited for too long after another failed attempt. */
async function expired({ clock, webhooks }: Deps, webhook: Webhook) {
  let last: { upTo: string; number: number } | undefined;
  for await (const { place, waitingSince } of webhooks.waiting(webhook)) {
    if (waitingSince > clock() - patienceMilliseconds) break;
    last = { upTo: place, number: (last?.number ?? 0) + 1 };
  }
  return last;
}
