import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { Switches } from "#shared/platform/switches.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { ProviderStore } from "#shared/services/provider-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { signingVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { translations } from "./pages/texts.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...signingVerifiers,
    outbox: Outbox,
    codes: CodeStore,
    passwordChecks: PasswordCheckLimiter,
    providers: ProviderStore,
    rateLimiter: RateLimiter,
    switches: Switches,
    tokens: TokenIssuer,
    verificationCodes: VerificationCodes,
  },
  () => ({
    describeRefusal,
  }),
);

/** Explain why a link in a mail to a provider had no effect. */
function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const texts = translations[locale];
  switch (error.error) {
    case "provider-code-rejected":
      return describeLinkRefusal(error, locale, texts.refusedCode);
    case "provider-email-exists":
      return describeLinkRefusal(error, locale, texts.takenAddress);
    case "second-factor-required":
      return describeLinkRefusal(error, locale, texts.closed);
    default:
      return describeLinkRefusal(error, locale);
  }
}
