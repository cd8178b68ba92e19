import { randomUUID } from "node:crypto";
import * as z from "zod";
import { timeOf } from "#shared/platform/audit/place.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { type Delivery, messageIdOf, type Webhook } from "#shared/teams/webhooks/webhook.ts";
import type { Attempt } from "#shared/teams/webhooks/webhook-calls.ts";
import { changeWebhook, createWebhook, deleteWebhook, rotateSecret } from "./change-webhooks.ts";
import type { Deps } from "./deps.ts";
import { ownerOf, theWebhook } from "./owner.ts";
import { logCursor, type routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const find = async (input: Parameters<typeof ownerOf>[1] & { params: { wid: string } }) =>
    theWebhook(deps, await ownerOf(deps, input), input.params.wid);

  return {
    "i-list-webhooks": async (input) => {
      const found = await deps.webhooks.ofChain((await ownerOf(deps, input)).chain);
      return { body: { webhooks: found.map(toWebhookView) } };
    },

    "i-create-webhook": async (input) => {
      const { webhook, secret } = await createWebhook(deps, await ownerOf(deps, input), input.body);
      return { status: 201, body: { ...toWebhookView(webhook), secret } };
    },

    "i-get-webhook": async (input) => ({ body: toWebhookView(await find(input)) }),

    "i-update-webhook": async (input) => ({
      body: toWebhookView(await changeWebhook(deps, await find(input), input.body)),
    }),

    "i-delete-webhook": async (input) => {
      await deleteWebhook(deps, await find(input));
      return {};
    },

    "i-rotate-webhook-secret": async (input) => {
      const { webhook, secret } = await rotateSecret(deps, await find(input), input.query.leaked ?? false);
      return { body: { ...toWebhookView(webhook), secret } };
    },

    "i-test-webhook": async (input) => {
      const { isDelivered, answer, problem } = await sendTest(deps, await find(input));
      return { body: { delivered: isDelivered, answer, problem } };
    },

    "i-list-webhook-deliveries": async (input) => {
      const { size, start } = input.query;
      const webhook = await find(input);
      const { deliveries, last } = await logOf(deps, webhook, size, start?.before);
      return {
        body: {
          deliveries: deliveries.map((delivery) => toDeliveryView(delivery, webhook)),
          ...(last !== undefined && { next: z.encode(logCursor, { before: last }) }),
        },
      };
    },

    "i-redeliver-webhook": async (input) => {
      const { isDelivered, answer, problem } = await redeliver(
        deps,
        await find(input),
        toPlace(input.params.place),
      );
      return { body: { delivered: isDelivered, answer, problem } };
    },
  };
}

/** One page of a webhook's log, the newest first. @returns `last`: where the next page starts, if there may be one */
async function logOf(
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
async function redeliver(deps: Deps, webhook: Webhook, place: string): Promise<Attempt> {
  const { calls, webhooks } = deps;
  const delivery = await webhooks.delivery(webhook, place);
  if (delivery === undefined) throw new ApiError("webhook-delivery-not-found");
  if (isWaiting(delivery, webhook)) throw new ApiError("webhook-delivery-waiting");
  const attempt = await calls.attempt(webhook, delivery);
  await change(deps, async () => ({ writes: [webhooks.logAttempt(delivery, attempt)] }));
  return attempt;
}

/** Send a test event, signed like any other. @see operation `i-test-webhook` */
async function sendTest({ calls, clock }: Deps, webhook: Webhook): Promise<Attempt> {
  const timestamp = new Date(clock()).toISOString();
  const { teamId: team } = webhook;
  const body = JSON.stringify({ type: "test", timestamp, data: { ...(team !== undefined && { team }) } });
  return calls.attempt(webhook, { body, place: `${timestamp}#${randomUUID()}` });
}

const toTime = (milliseconds: number) => new Date(milliseconds).toISOString();

const toWebhookView = (webhook: Webhook) => ({
  id: webhook.webhookId,
  team: webhook.teamId,
  url: webhook.url,
  kinds: webhook.kinds,
  status: webhook.status,
  off_reason: webhook.status === "off" ? webhook.offReason : undefined,
  created_at: webhook.createdAt,
  created_by: webhook.createdBy,
  waiting: webhook.status === "off" ? 0 : webhook.waiting,
  failing_since: webhook.failingSince === undefined ? undefined : toTime(webhook.failingSince),
  next_attempt_at: webhook.nextAttemptAt === undefined ? undefined : toTime(webhook.nextAttemptAt),
});

/** A place as part of a path, which must not contain `#`. */
const toId = (place: string) => place.replace("#", "~");
const toPlace = (id: string) => id.replace("~", "#");

/** Whether an event is still to be sent. */
const isWaiting = ({ place, deliveredAt }: Delivery, { settledUpTo, status }: Webhook) =>
  status === "active" && deliveredAt === undefined && place > settledUpTo;

const toDeliveryView = (delivery: Delivery, webhook: Webhook) => ({
  id: toId(delivery.place),
  message: messageIdOf(delivery.place),
  event: delivery.event,
  time: timeOf(delivery.place),
  status: statusOf(delivery, webhook),
  attempts: delivery.attempts,
  attempted_at: delivery.attemptedAt === undefined ? undefined : toTime(delivery.attemptedAt),
  delivered_at: delivery.deliveredAt === undefined ? undefined : toTime(delivery.deliveredAt),
  answer: delivery.answer,
  problem: delivery.problem,
  body: delivery.body,
});

function statusOf(delivery: Delivery, webhook: Webhook): "delivered" | "waiting" | "given-up" {
  if (delivery.deliveredAt !== undefined) return "delivered";
  return isWaiting(delivery, webhook) ? "waiting" : "given-up";
}
