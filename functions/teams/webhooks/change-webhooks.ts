import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { hostOf } from "#shared/platform/outbound/call-pinned.ts";
import { isPublicAddress } from "#shared/platform/outbound/public-addresses.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import { TooManyWebhooksError, type Webhook, WebhookNotFoundError } from "#shared/teams/webhooks/webhook.ts";
import type { Deps } from "./deps.ts";
import type { Owner } from "./owner.ts";

/** How long a former secret is valid. */
const overlapMilliseconds = 24 * 3_600_000;

/**
 * Create a webhook, which gets events from now on.
 *
 * @throws ApiError `webhook-address-refused`, `too-many-webhooks`, `no-team`
 * @see operation `i-create-webhook`
 */
export async function createWebhook(
  deps: Deps,
  { chain, teamId, userId }: Owner,
  { url, kinds }: Pick<Webhook, "url" | "kinds">,
): Promise<{ webhook: Webhook; secret: string }> {
  const { clock, teams, webhooks, webhookSecrets } = deps;
  checkAddress(deps, url);
  const now = new Date(clock()).toISOString();
  const webhook: Webhook = {
    webhookId: randomUUID(),
    chain,
    ...(teamId !== undefined && { teamId }),
    url,
    kinds: [...new Set(kinds)],
    status: "active",
    createdAt: now,
    ...(userId !== undefined && { createdBy: userId }),
    secretVersion: 1,
    collectedUpTo: now,
    checkedUpTo: now,
    settledUpTo: now,
    waiting: 0,
    failures: 0,
  };
  describeAudited({ target: { wid: webhook.webhookId } });
  const secret = await webhookSecrets.text(webhook);
  const write = change(deps, async () => ({
    writes: [...webhooks.create(webhook), ...(teamId === undefined ? [] : [teams.requirePresent(teamId)])],
  }));
  await write.catch(toApiError);
  return { webhook, secret };
}

/**
 * Change a webhook. A webhook that is switched on gets events from now on, and is tried immediately.
 *
 * @throws ApiError `webhook-address-refused`, `webhook-not-found`
 * @see operation `i-update-webhook`
 */
export async function changeWebhook(
  deps: Deps,
  webhook: Webhook,
  { url, kinds, status }: Partial<Pick<Webhook, "url" | "kinds" | "status">>,
): Promise<Webhook> {
  if (url !== undefined) checkAddress(deps, url);
  const now = new Date(deps.clock()).toISOString();
  const fields = {
    ...(url !== undefined && { url }),
    // Events of kinds that it subscribes to only now are not late.
    ...(kinds !== undefined && { kinds: [...new Set(kinds)], checkedUpTo: now }),
    ...(status !== undefined && status !== webhook.status && switched(status, now)),
    // After a correction, people want to see at once whether it helps.
    ...((url !== undefined || status !== undefined) && { nextAttemptAt: undefined }),
  };
  if (Object.keys(fields).length === 0) return webhook;
  await change(deps, async () => ({
    writes: [deps.webhooks.change(webhook, fields as Partial<Webhook>)],
  })).catch(toApiError);
  return { ...webhook, ...fields } as Webhook;
}

function switched(status: Webhook["status"], now: string) {
  if (status === "off") return { status, offReason: "by-request" as const };
  const isNew = { collectedUpTo: now, checkedUpTo: now, settledUpTo: now, waiting: 0, failures: 0 };
  return { ...isNew, status, offReason: undefined, failingSince: undefined };
}

/**
 * Delete a webhook. It is switched off first, so that nothing is added to its log.
 * @see operation `i-delete-webhook`
 */
export async function deleteWebhook(deps: Deps, webhook: Webhook): Promise<void> {
  const { webhooks } = deps;
  if (webhook.status !== "off" || webhook.lease !== undefined)
    await change(deps, async () => ({ writes: [webhooks.change(webhook, { status: "off" })] }), {
      isGuarded: false,
    }).catch(toApiError);
  await webhooks.removeLog(webhook);
  await change(deps, async () => ({ writes: webhooks.remove(webhook) })).catch(toApiError);
}

/** Give a webhook the next secret. @see operation `i-rotate-webhook-secret` */
export async function rotateSecret(
  deps: Deps,
  webhook: Webhook,
  hasLeaked: boolean,
): Promise<{ webhook: Webhook; secret: string }> {
  const { clock, webhooks, webhookSecrets } = deps;
  const rotated = await change(deps, async (attempt) => {
    const current = attempt === 1 ? webhook : await webhooks.get(webhook);
    if (current === undefined) throw new ApiError("webhook-not-found");
    const formerSecretUntil = hasLeaked ? 0 : clock() + overlapMilliseconds;
    return {
      writes: [webhooks.rotate(current, formerSecretUntil)],
      result: { ...current, secretVersion: current.secretVersion + 1, formerSecretUntil },
    };
  });
  return { webhook: rotated, secret: await webhookSecrets.text(rotated) };
}

/** Refuse addresses that are evidently private; names are resolved and checked at each call. */
function checkAddress({ settings }: Deps, url: string): void {
  const host = hostOf(new URL(url));
  const isPrivate = isIP(host) > 0 ? !isPublicAddress(host) : /^(.*\.)?localhost\.?$/i.test(host);
  if (isPrivate && !settings.webhooks.allowsPrivateAddresses) throw new ApiError("webhook-address-refused");
}

function toApiError(error: unknown): never {
  if (error instanceof TooManyWebhooksError) throw new ApiError("too-many-webhooks", { cause: error });
  if (error instanceof WebhookNotFoundError) throw new ApiError("webhook-not-found", { cause: error });
  if (error instanceof TeamNotFoundError) throw new ApiError("no-team", { cause: error });
  throw error;
}
