import { randomUUID } from "node:crypto";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { StaleReadError } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import type { Log } from "#shared/platform/log.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { hasOwnerRights } from "../member.ts";
import type { TeamStore } from "../team-store.ts";
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

const minute = 60_000;
/** Pauses after the first failures in a row; after more, always the last one. */
const pauseMinutes = [0.5, 1, 2, 5, 10, 20, 30, 60];
/** A webhook is switched off when its receiver fails for longer. */
const hopelessMilliseconds = 7 * 24 * 60 * minute;
/** Unless the event has waited for a shorter time: there may have been no events for weeks. */
const doubtMilliseconds = 60 * minute;

/** When the next attempt at a webhook is due, or whether there is none. @param waitingSince of the event that has failed */
export function afterFailure(
  {
    failures,
    failingSince,
    waitingSince,
  }: Pick<Webhook, "failures" | "failingSince"> & Pick<Delivery, "waitingSince">,
  now: number,
): { failures: number; failingSince: number; nextAttemptAt: number; isHopeless: boolean } {
  const since = failingSince ?? now;
  const pause = pauseMinutes[Math.min(failures, pauseMinutes.length - 1)] ?? 60;
  return {
    failures: failures + 1,
    failingSince: since,
    nextAttemptAt: now + pause * minute,
    isHopeless: now - since >= hopelessMilliseconds && now - waitingSince >= doubtMilliseconds,
  };
}

/** Data of accounts for mails; this layer does not know accounts. */
interface Addressees {
  getMany(userIds: readonly string[]): Promise<readonly { email?: string | undefined; locale: string }[]>;
}

interface OffMailDeps {
  readonly accounts: Addressees;
  readonly outbox: Outbox;
  readonly settings: Settings;
  readonly teams: TeamStore;
}

/** Maximum number of owners who get a mail. */
const maxMails = 20;

/** Mails to the owners of a team, or to the operator, that a webhook has been switched off. */
async function offMails(deps: OffMailDeps, { teamId, url, webhookId }: Webhook): Promise<OutboxMessage[]> {
  const { accounts, outbox, settings, teams } = deps;
  const mail = (to: string, more: { locale?: string; team?: { teamId: string; name: string } } = {}) =>
    outbox.message("mail", {
      template: "webhook-off",
      to,
      ...more,
      // The rest of the address may be secret.
      webhook: { webhookId, host: new URL(url).host },
    } satisfies MailMessage);
  if (teamId === undefined) return settings.operatorEmail === undefined ? [] : [mail(settings.operatorEmail)];
  const team = await teams.get(teamId);
  if (team === undefined) return [];
  const adminIds: string[] = [];
  for await (const userId of teams.admins(teamId)) adminIds.push(userId);
  const owners = (await teams.getMembers(teamId, adminIds)).filter(hasOwnerRights);
  const found = await accounts.getMany(owners.map(({ userId }) => userId));
  return found
    .flatMap(({ email, locale }) =>
      email === undefined ? [] : [mail(email, { locale, team: { teamId, name: team.name } })],
    )
    .slice(0, maxMails);
}
