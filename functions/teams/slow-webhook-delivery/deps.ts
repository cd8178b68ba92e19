import { AccountStore } from "#shared/accounts/account-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { webhookParts } from "#shared/teams/webhooks/webhook-worker.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ accounts: AccountStore, ...webhookParts });
