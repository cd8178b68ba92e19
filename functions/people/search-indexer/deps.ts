import { AccountStore } from "#shared/accounts/account-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SearchIndexStore } from "#shared/search/search-index-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  return {
    ...runtime,
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    searchIndex: new SearchIndexStore(stores),
    outbox: new OutboxWorker(stores),
  };
}
