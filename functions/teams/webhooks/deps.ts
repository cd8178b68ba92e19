import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { WebhookCalls } from "#shared/teams/webhooks/webhook-calls.ts";
import { WebhookSecrets } from "#shared/teams/webhooks/webhook-secrets.ts";
import { WebhookStore } from "#shared/teams/webhooks/webhook-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  secrets: SecretReader,
  teams: TeamStore,
  webhookSecrets: WebhookSecrets,
  calls: WebhookCalls,
  webhooks: WebhookStore,
});
