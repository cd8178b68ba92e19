import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { ProviderStore } from "#shared/services/provider-store.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...verifiers,
    outbox: Outbox,
    accounts: AccountStore,
    features: FeatureStore,
    passwordChecks: PasswordCheckLimiter,
    providers: ProviderStore,
    services: ServiceStore,
    teams: TeamStore,
    whitelist: ServiceWhitelistStore,
  },
  () => ({ describeRefusal: describeLinkRefusal }),
);
