import { AccountStore } from "#shared/accounts/account-store.ts";
import { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { PendingMessages } from "#shared/platform/messaging/pending-messages.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  features: FeatureStore,
  outboxWorker: OutboxWorker,
  pendingMessages: PendingMessages,
  searchIndex: SearchIndexStore,
  teams: TeamStore,
});
