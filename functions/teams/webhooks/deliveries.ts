import { randomUUID } from "node:crypto";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Delivery, Webhook } from "#shared/teams/webhooks/webhook.ts";
import type { Attempt } from "#shared/teams/webhooks/webhook-calls.ts";
import type { Deps } from "./deps.ts";
import { isWaiting } from "./views.ts";

/** One page of a webhook's log, the newest first. @returns `last`: where the next page starts, if there may be one */
export async function logOf(
  { webhooks }: Deps,
  webhook: Webhook,
  size: number,
  before: string | undefined,
): Promise<{ deliveries: Delivery[]; last: string | undefined }> {
  const deliveries = await webhooks.newest(webhook, size, before);
  return { deliveries, last: deliveries.length < size ? undefined : deliveries.at(-1)?.place };
}

/**
 * Send a delivered or given-up event once more, with one attempt.
 *
 * @throws ApiError `webhook-delivery-not-found`, `webhook-delivery-waiting`
 * @see operation `i-redeliver-webhook`
 */
export async function redeliver(deps: Deps, webhook: Webhook, place: string): Promise<Attempt> {
  const { calls, webhooks } = deps;
  const delivery = await webhooks.delivery(webhook, place);
  if (delivery === undefined) throw new ApiError("webhook-delivery-not-found");
  if (isWaiting(delivery, webhook)) throw new ApiError("webhook-delivery-waiting");
  const attempt = await calls.attempt(webhook, delivery);
  await change(deps, async () => ({ writes: [webhooks.logAttempt(delivery, attempt)] }));
  return attempt;
}

/** Send a test event, signed like any other. @see operation `i-test-webhook` */
export async function sendTest({ calls, clock }: Deps, webhook: Webhook): Promise<Attempt> {
  const timestamp = new Date(clock()).toISOString();
  const { teamId: team } = webhook;
  const body = JSON.stringify({ type: "test", timestamp, data: { ...(team !== undefined && { team }) } });
  return calls.attempt(webhook, { body, place: `${timestamp}#${randomUUID()}` });
}
