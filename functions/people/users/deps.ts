import { AccountStore } from "#shared/accounts/account-store.ts";
import { ExpiredAccounts } from "#shared/accounts/expired-account.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { LegalHoldSessions } from "#shared/sessions/legal-hold-sessions.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    accounts: new AccountStore(stores),
    expiredAccounts: new ExpiredAccounts(runtime),
    features: new FeatureStore(stores),
    legalHoldSessions: new LegalHoldSessions(stores),
    richInfo: new RichInfoStore(stores),
    teams: new TeamStore(stores),
  };
}
