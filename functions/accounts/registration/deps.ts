import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { InvitationStore } from "#shared/teams/invitation-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { describeRefusal } from "./describe-refusal.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  const accounts = new AccountStore(stores);
  const codes = new CodeStore(stores);
  const domains = new RegisteredDomainStore(stores);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    describeRefusal,
    dynamo: stores.dynamo,
    accounts,
    codes,
    domains,
    identities: new IdentityLookup({ accounts, codes, domains }),
    sessions: new SessionStore(stores),
    teams: new TeamStore(stores),
    features: new FeatureStore(stores),
    invitations: new InvitationStore(stores),
    passwordChecks: new PasswordCheckLimiter(stores),
    budget: new DailyBudget(stores),
    rateLimiter: new RateLimiter(stores),
    outbox,
    events: new EventPublisher(outbox, runtime),
    verificationCodes: new VerificationCodes(secrets),
    tokens: new TokenIssuer(secrets, runtime),
  };
}
