import { AccountStore } from "#shared/accounts/account-store.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { ChallengeStore } from "#shared/teams/registered-domains/challenge-store.ts";
import { CustomBackendStore } from "#shared/teams/registered-domains/custom-backend-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  outbox: Outbox,
  accounts: AccountStore,
  budget: DailyBudget,
  challenges: ChallengeStore,
  customBackends: CustomBackendStore,
  domains: RegisteredDomainStore,
  features: FeatureStore,
  identityProviders: IdentityProviderStore,
  rateLimiter: RateLimiter,
  teams: TeamStore,
});
