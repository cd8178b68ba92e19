import type { SQSEvent } from "aws-lambda";
import { handleEach } from "#shared/platform/messaging/handle-each.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { TeamStore } from "../team-store.ts";
import { serveWebhook } from "./serve-webhook.ts";
import { WebhookCalls } from "./webhook-calls.ts";
import { WebhookNudges, type WebhookQueue, webhookNudge } from "./webhook-nudges.ts";
import { WebhookSecrets } from "./webhook-secrets.ts";
import { WebhookStore } from "./webhook-store.ts";

/** Dependencies of both workers, except accounts. */
export const webhookParts = {
  secrets: SecretReader,
  outbox: Outbox,
  teams: TeamStore,
  webhookSecrets: WebhookSecrets,
  calls: WebhookCalls,
  nudges: WebhookNudges,
  webhooks: WebhookStore,
};

/** Creates a worker that sends to the webhooks of its messages concurrently. */
export const createWebhookWorker =
  (queue: WebhookQueue, deps: Parameters<typeof serveWebhook>[0]) => (event: SQSEvent) =>
    handleEach(event, ({ body }) => serveWebhook(deps, webhookNudge.parse(JSON.parse(body))), {
      queue,
      log: deps.log,
    });
