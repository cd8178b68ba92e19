import * as z from "zod";
import { cursorOf, pageQuery } from "#shared/platform/http/cursor.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { webhookKinds } from "#shared/teams/webhooks/webhook-kinds.ts";

export const path = z.object({ wid: wire.uuid.meta({ description: "Id of the webhook" }) });

/** The part of an event's id after `msg_` is the id of its audit record. */
export const deliveryPath = path.extend({
  place: z
    .string()
    .regex(/^[\dTZ:.-]{24}(!\d{8})?~[\da-f-]{36}$/)
    .meta({ description: "Id of the delivery, as the log has it" }),
});

export const ownerQuery = z.object({
  team: wire.uuid.optional().meta({ description: "The team that it belongs to; absent: the operator" }),
});

/** Cursor in the log of a webhook. */
export const logCursor = cursorOf("webhook-deliveries", z.strictObject({ before: z.string().max(100) }));

export const logQuery = ownerQuery.extend(pageQuery(logCursor).shape);

export const rotateQuery = ownerQuery.extend({
  leaked: wire.queryFlag
    .optional()
    .meta({ description: "Whether the former secret ends immediately, rather than after a day" }),
});

export const onBehalf = z.object({
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

export const webhookUpdate = z
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

export const webhook = z.object(fields).meta({ id: "Webhook" });
export const webhooks = z.object({ webhooks: z.array(webhook) }).meta({ id: "Webhooks" });
export const webhookWithSecret = z
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

export const log = z
  .object({ deliveries: z.array(delivery), next: wire.nextCursor.optional() })
  .meta({ id: "WebhookDeliveries", description: "The newest first" });

export const redelivered = z.object({ delivered: z.boolean(), ...attempt }).meta({ id: "WebhookRedelivery" });
