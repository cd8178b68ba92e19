import { AccountStore } from "#shared/accounts/account-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { createWebhookWorker, webhookParts } from "#shared/teams/webhooks/webhook-worker.ts";

/** Handle messages from the queue `webhook-deliveries`. */
export const createHandler = (deps: Deps) => createWebhookWorker("webhook-deliveries", deps);

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ accounts: AccountStore, ...webhookParts });
