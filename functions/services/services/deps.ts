import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { ProviderStore } from "#shared/services/provider-store.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    features: new FeatureStore(stores),
    outbox: new Outbox(runtime),
    passwordChecks: new PasswordCheckLimiter(stores),
    providers: new ProviderStore(stores),
    services: new ServiceStore(stores),
    teams: new TeamStore(stores),
    whitelist: new ServiceWhitelistStore(stores),
  };
}
