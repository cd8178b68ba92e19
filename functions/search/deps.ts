import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { SearchIndexStore } from "#shared/data/search/search-index-store.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("search", config, overrides);
  const client = createDocumentClient();
  return {
    ...runtime,
    accounts: new AccountStore(client, config),
    searchIndex: new SearchIndexStore(client, config, runtime.clock),
  };
}
