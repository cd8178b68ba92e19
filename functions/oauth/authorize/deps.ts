import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { AppStore } from "#shared/oauth/app-store.ts";
import { AuthorizationCodeStore } from "#shared/oauth/authorization-code-store.ts";
import { GrantStore } from "#shared/oauth/grant-store.ts";
import type { Locale } from "#shared/platform/html/choose-locale.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { Switches } from "#shared/platform/switches.ts";
import { Counts } from "#shared/platform/usage/counts.ts";
import { DefaultProviderStore } from "#shared/provisioning/default-provider-store.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { JwtSigner } from "#shared/sessions/tokens/jwt.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { type RefusalProblem, translations } from "./pages/texts.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...verifiers,
    outbox: Outbox,
    accounts: AccountStore,
    counts: Counts,
    apps: AppStore,
    defaultProvider: DefaultProviderStore,
    domains: RegisteredDomainStore,
    authorizationCodes: AuthorizationCodeStore,
    codes: CodeStore,
    identities: IdentityLookup,
    features: FeatureStore,
    grants: GrantStore,
    passwordChecks: PasswordCheckLimiter,
    rateLimiter: RateLimiter,
    sessions: SessionStore,
    switches: Switches,
    signer: JwtSigner,
    verificationCodes: VerificationCodes,
  },
  () => ({
    describeRefusal,
  }),
);

const problems: Partial<Record<ErrorName, RefusalProblem>> = {
  "not-found": "unknown-app",
  "redirect-url-mismatch": "wrong-redirect",
  forbidden: "switched-off",
};

/** Explain a refusal that cannot be sent to the app, because its redirect URL is unknown. */
function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const { problems: sentences, refusal } = translations[locale];
  const problem = problems[error.error] ?? (error.status < 500 ? "bad-request" : "server-error");
  return { ...refusal, problem: sentences[problem] };
}
