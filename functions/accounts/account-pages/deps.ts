import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { AppStore } from "#shared/oauth/app-store.ts";
import { GrantStore } from "#shared/oauth/grant-store.ts";
import { describeFormRefusal } from "#shared/platform/html/describe-form-refusal.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { Switches } from "#shared/platform/switches.ts";
import { Counts } from "#shared/platform/usage/counts.ts";
import { DefaultProviderStore } from "#shared/provisioning/default-provider-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { JwtSigner } from "#shared/sessions/tokens/jwt.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { signingVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...signingVerifiers,
    outbox: Outbox,
    accounts: AccountStore,
    apps: AppStore,
    budget: DailyBudget,
    codes: CodeStore,
    counts: Counts,
    defaultProvider: DefaultProviderStore,
    domains: RegisteredDomainStore,
    events: EventPublisher,
    features: FeatureStore,
    grants: GrantStore,
    identities: IdentityLookup,
    passwordChecks: PasswordCheckLimiter,
    rateLimiter: RateLimiter,
    sessions: SessionStore,
    signer: JwtSigner,
    switches: Switches,
    teams: TeamStore,
    tokens: TokenIssuer,
    verificationCodes: VerificationCodes,
  },
  () => ({ describeRefusal: describeFormRefusal }),
);
