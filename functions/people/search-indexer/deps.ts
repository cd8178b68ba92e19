import { AccountStore } from "#shared/accounts/account-store.ts";
import { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  return {
    ...runtime,
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    features: new FeatureStore(stores),
    outbox: new Outbox(runtime),
    outboxWorker: new OutboxWorker(stores),
    searchIndex: new SearchIndexStore(stores),
    teams: new TeamStore(stores),
  };
}
