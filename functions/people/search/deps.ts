import { AccountStore } from "#shared/accounts/account-store.ts";
import { DirectoryStore } from "#shared/accounts/search/directory-store.ts";
import { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  accounts: AccountStore,
  directory: DirectoryStore,
  searchIndex: SearchIndexStore,
  teams: TeamStore,
});
