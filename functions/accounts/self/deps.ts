import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { translations } from "./pages/deletion-pages.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...verifiers,
    outbox: Outbox,
    accounts: AccountStore,
    budget: DailyBudget,
    codes: CodeStore,
    domains: RegisteredDomainStore,
    identities: IdentityLookup,
    events: EventPublisher,
    features: FeatureStore,
    passwordChecks: PasswordCheckLimiter,
    rateLimiter: RateLimiter,
    sessions: SessionStore,
    teams: TeamStore,
    verificationCodes: VerificationCodes,
  },
  () => ({
    describeRefusal,
  }),
);

/** Explain why an account deletion page deleted nothing. */
function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const isCodeRefused = error.error === "deletion-code-rejected";
  return describeLinkRefusal(error, locale, isCodeRefused ? translations[locale].refusedCode : undefined);
}
