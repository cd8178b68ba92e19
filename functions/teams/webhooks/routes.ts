import * as z from "zod";
import { cursorOf, pageQuery } from "#shared/platform/http/cursor.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { webhookKinds } from "#shared/teams/webhooks/webhook.ts";

const path = z.object({ wid: wire.uuid.meta({ description: "Id of the webhook" }) });

/** The part of an event's id after `msg_` is the id of its audit record. */
const deliveryPath = path.extend({
  place: z
    .string()
    .regex(/^[\dTZ:.-]{24}(!\d{8})?~[\da-f-]{36}$/)
    .meta({ description: "Id of the delivery, as the log has it" }),
});

const ownerQuery = z.object({
  team: wire.uuid.optional().meta({ description: "The team that it belongs to; absent: the operator" }),
});

/** Cursor in the log of a webhook. */
export const logCursor = cursorOf("webhook-deliveries", z.strictObject({ before: z.string().max(100) }));

const logQuery = ownerQuery.extend(pageQuery(logCursor).shape);

const rotateQuery = ownerQuery.extend({
  leaked: wire.queryFlag
    .optional()
    .meta({ description: "Whether the former secret ends immediately, rather than after a day" }),
});

const onBehalf = z.object({
  "Z-User": wire.userId
    .optional()
    .meta({ description: "An admin of the team, on whose behalf it is; absent: the operator acts" }),
});

const url = z
  // As a parser writes it, with control sequences encoded, which a terminal might obey.
  .url({ protocol: /^https$/, normalize: true })
  .max(2000)
  .refine((text) => {
    const parsed = URL.parse(text);
    return parsed !== null && parsed.username + parsed.password + parsed.hash === "";
  }, "without user and fragment")
  .meta({
    description: "HTTPS address to which events are posted",
    examples: ["https://hooks.example.com/parley"],
  });
const kinds = z
  .array(z.enum(webhookKinds))
  .min(1)
  .max(webhookKinds.length)
  .meta({ description: "Events, or groups of them such as `team.*`" });

export const newWebhook = z
  .object({ url, kinds })
  .meta({ examples: [{ url: "https://hooks.example.com/parley", kinds: ["team.*"] }] });

const webhookUpdate = z
  .object({
    url: url.optional(),
    kinds: kinds.optional(),
    status: z
      .enum(["active", "off"])
      .optional()
      .meta({ description: "What happens while it is off is not sent later" }),
  })
  .meta({ id: "WebhookUpdate", examples: [{ kinds: ["team.*", "account.*"] }] });

const fields = {
  id: z.uuid(),
  team: z.uuid().optional(),
  url: z.string(),
  kinds: z.array(z.string()),
  status: z.enum(["active", "off"]),
  off_reason: z.enum(["by-request", "failing", "gone"]).optional().meta({
    description: "`failing`: every attempt of a week has failed; `gone`: the receiver answered 410",
  }),
  created_at: wire.utcTime,
  created_by: z.uuid().optional(),
  waiting: z.int().meta({ description: "Number of events that are still to be sent" }),
  failing_since: wire.utcTime.optional(),
  next_attempt_at: wire.utcTime.optional(),
};

const webhook = z.object(fields).meta({ id: "Webhook" });
const webhooks = z.object({ webhooks: z.array(webhook) }).meta({ id: "Webhooks" });
const webhookWithSecret = z
  .object({ ...fields, secret: z.string().meta({ description: "Shown only now; verifies signatures" }) })
  .meta({ id: "WebhookWithSecret" });

const attempt = {
  answer: z.int().optional().meta({ description: "Status of the receiver's last answer" }),
  problem: z.string().optional(),
};

const delivery = z
  .object({
    id: z.string().meta({ description: "Names the delivery in paths" }),
    message: z.string().meta({ description: "The header `webhook-id`" }),
    event: z.string(),
    time: wire.utcTime,
    status: z.enum(["waiting", "delivered", "given-up"]),
    attempts: z.int(),
    attempted_at: wire.utcTime.optional(),
    delivered_at: wire.utcTime.optional(),
    ...attempt,
    body: z.string(),
  })
  .meta({ id: "WebhookDelivery" });

const log = z
  .object({ deliveries: z.array(delivery), next: wire.nextCursor.optional() })
  .meta({ id: "WebhookDeliveries", description: "The newest first" });

const redelivered = z.object({ delivered: z.boolean(), ...attempt }).meta({ id: "WebhookRedelivery" });

const ofOwner = {
  auth: "internal",
  query: ownerQuery,
  headers: onBehalf,
} as const;
const refusals = ["no-team", "not-a-team-member", "access-denied"] as const;

export const routes = defineRoutes({
  "i-list-webhooks": {
    ...ofOwner,
    method: "GET",
    path: "/i/webhooks",
    audit: unaudited.reading,
    summary: "List the webhooks of a team, or of the operator",
    responses: { 200: webhooks },
    errors: refusals,
  },
  "i-create-webhook": {
    ...ofOwner,
    method: "POST",
    path: "/i/webhooks",
    audit: "webhook.created",
    summary: "Have events sent to an address",
    description:
      "A team's webhook gets what happens in the team, one of the operator what happens anywhere. The answer has the secret.",
    body: newWebhook,
    responses: { 201: webhookWithSecret },
    errors: [...refusals, "webhook-address-refused", "too-many-webhooks"],
  },
  "i-get-webhook": {
    ...ofOwner,
    method: "GET",
    path: "/i/webhooks/{wid}",
    audit: unaudited.reading,
    summary: "Get a webhook",
    params: path,
    responses: { 200: webhook },
    errors: [...refusals, "webhook-not-found"],
  },
  "i-update-webhook": {
    ...ofOwner,
    method: "PATCH",
    path: "/i/webhooks/{wid}",
    audit: "webhook.changed",
    summary: "Change a webhook, or switch it on or off",
    params: path,
    body: webhookUpdate,
    responses: { 200: webhook },
    errors: [...refusals, "webhook-not-found", "webhook-address-refused"],
  },
  "i-delete-webhook": {
    ...ofOwner,
    method: "DELETE",
    path: "/i/webhooks/{wid}",
    audit: "webhook.deleted",
    summary: "Delete a webhook and its log",
    params: path,
    responses: { 200: null },
    errors: [...refusals, "webhook-not-found"],
  },
  "i-rotate-webhook-secret": {
    ...ofOwner,
    method: "POST",
    path: "/i/webhooks/{wid}/secret",
    audit: "webhook.secret-rotated",
    summary: "Give a webhook a new secret",
    description: "For a day, what is sent is signed by the former secret as well, unless that has leaked.",
    params: path,
    query: rotateQuery,
    responses: { 200: webhookWithSecret },
    errors: [...refusals, "webhook-not-found"],
  },
  "i-test-webhook": {
    ...ofOwner,
    method: "POST",
    path: "/i/webhooks/{wid}/test",
    audit: { none: "It tells only that somebody tries the receiver, to the receiver." },
    summary: "Send an event of the type `test`, once and now",
    description: "Also while the webhook is off, and whatever it subscribes to. The log does not have it.",
    params: path,
    responses: { 200: redelivered },
    errors: [...refusals, "webhook-not-found"],
  },
  "i-list-webhook-deliveries": {
    ...ofOwner,
    method: "GET",
    path: "/i/webhooks/{wid}/deliveries",
    audit: unaudited.reading,
    summary: "List what was sent to a webhook within a month, and what became of it",
    params: path,
    query: logQuery,
    responses: { 200: log },
    errors: [...refusals, "webhook-not-found"],
  },
  "i-redeliver-webhook": {
    ...ofOwner,
    method: "POST",
    path: "/i/webhooks/{wid}/deliveries/{place}",
    audit: "webhook.redelivered",
    summary: "Send an event again, once and now",
    description: "With the same `webhook-id`, whatever is waiting; also while the webhook is off.",
    params: deliveryPath,
    responses: { 200: redelivered },
    errors: [...refusals, "webhook-not-found", "webhook-delivery-not-found", "webhook-delivery-waiting"],
  },
});
