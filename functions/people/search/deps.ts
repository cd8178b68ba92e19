import { AccountStore } from "#shared/accounts/account-store.ts";
import { DirectoryStore } from "#shared/accounts/search/directory-store.ts";
import { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    accounts: new AccountStore(stores),
    directory: new DirectoryStore(stores),
    searchIndex: new SearchIndexStore(stores),
    teams: new TeamStore(stores),
  };
}
