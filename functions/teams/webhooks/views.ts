import { timeOf } from "#shared/platform/audit/place.ts";
import { type Delivery, messageIdOf, type Webhook } from "#shared/teams/webhooks/webhook.ts";

const toTime = (milliseconds: number) => new Date(milliseconds).toISOString();

export const toWebhookView = (webhook: Webhook) => ({
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
export const toPlace = (id: string) => id.replace("~", "#");

/** Whether an event is still to be sent. */
export const isWaiting = ({ place, deliveredAt }: Delivery, { settledUpTo, status }: Webhook) =>
  status === "active" && deliveredAt === undefined && place > settledUpTo;

export const toDeliveryView = (delivery: Delivery, webhook: Webhook) => ({
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
