import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { Switches } from "#shared/platform/switches.ts";
import { Counts } from "#shared/platform/usage/counts.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { InvitationStore } from "#shared/teams/invitation-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { describeRefusal } from "./describe-refusal.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    secrets: SecretReader,
    outbox: Outbox,
    accounts: AccountStore,
    counts: Counts,
    budget: DailyBudget,
    codes: CodeStore,
    domains: RegisteredDomainStore,
    identities: IdentityLookup,
    events: EventPublisher,
    features: FeatureStore,
    invitations: InvitationStore,
    passwordChecks: PasswordCheckLimiter,
    rateLimiter: RateLimiter,
    sessions: SessionStore,
    switches: Switches,
    teams: TeamStore,
    tokens: TokenIssuer,
    verificationCodes: VerificationCodes,
  },
  () => ({
    describeRefusal,
  }),
);
