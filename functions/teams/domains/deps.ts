import { AccountStore } from "#shared/accounts/account-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { ChallengeStore } from "#shared/teams/registered-domains/challenge-store.ts";
import { CustomBackendStore } from "#shared/teams/registered-domains/custom-backend-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, new SecretReader(runtime)),
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    teams: new TeamStore(stores),
    features: new FeatureStore(stores),
    domains: new RegisteredDomainStore(stores),
    identityProviders: new IdentityProviderStore(stores),
    challenges: new ChallengeStore(stores),
    customBackends: new CustomBackendStore(stores),
    rateLimiter: new RateLimiter(stores),
    outbox: new Outbox(runtime),
  };
}
