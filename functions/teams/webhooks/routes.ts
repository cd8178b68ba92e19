import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

const ofOwner = {
  auth: "internal",
  query: schemas.ownerQuery,
  headers: schemas.onBehalf,
} as const;
const refusals = ["no-team", "not-a-team-member", "access-denied"] as const;

export const routes = defineRoutes({
  "i-list-webhooks": {
    ...ofOwner,
    method: "GET",
    path: "/i/webhooks",
    audit: unaudited.reading,
    summary: "List the webhooks of a team, or of the operator",
    responses: { 200: schemas.webhooks },
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
    body: schemas.newWebhook,
    responses: { 201: schemas.webhookWithSecret },
    errors: [...refusals, "webhook-address-refused", "too-many-webhooks"],
  },
  "i-get-webhook": {
    ...ofOwner,
    method: "GET",
    path: "/i/webhooks/{wid}",
    audit: unaudited.reading,
    summary: "Get a webhook",
    params: schemas.path,
    responses: { 200: schemas.webhook },
    errors: [...refusals, "webhook-not-found"],
  },
  "i-update-webhook": {
    ...ofOwner,
    method: "PATCH",
    path: "/i/webhooks/{wid}",
    audit: "webhook.changed",
    summary: "Change a webhook, or switch it on or off",
    params: schemas.path,
    body: schemas.webhookUpdate,
    responses: { 200: schemas.webhook },
    errors: [...refusals, "webhook-not-found", "webhook-address-refused"],
  },
  "i-delete-webhook": {
    ...ofOwner,
    method: "DELETE",
    path: "/i/webhooks/{wid}",
    audit: "webhook.deleted",
    summary: "Delete a webhook and its log",
    params: schemas.path,
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
    params: schemas.path,
    query: schemas.rotateQuery,
    responses: { 200: schemas.webhookWithSecret },
    errors: [...refusals, "webhook-not-found"],
  },
  "i-list-webhook-deliveries": {
    ...ofOwner,
    method: "GET",
    path: "/i/webhooks/{wid}/deliveries",
    audit: unaudited.reading,
    summary: "List what was sent to a webhook within a month, and what became of it",
    params: schemas.path,
    query: schemas.logQuery,
    responses: { 200: schemas.log },
    errors: [...refusals, "webhook-not-found"],
  },
  "i-redeliver-webhook": {
    ...ofOwner,
    method: "POST",
    path: "/i/webhooks/{wid}/deliveries/{place}",
    audit: "webhook.redelivered",
    summary: "Send an event again, once and now",
    description: "With the same `webhook-id`, whatever is waiting; also while the webhook is off.",
    params: schemas.deliveryPath,
    responses: { 200: schemas.redelivered },
    errors: [...refusals, "webhook-not-found", "webhook-delivery-not-found", "webhook-delivery-waiting"],
  },
});
