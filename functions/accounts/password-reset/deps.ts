import { AccountStore } from "#shared/accounts/account-store.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { translations } from "./pages/texts.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    secrets: SecretReader,
    outbox: Outbox,
    accounts: AccountStore,
    budget: DailyBudget,
    codes: CodeStore,
    rateLimiter: RateLimiter,
    sessions: SessionStore,
    verificationCodes: VerificationCodes,
  },
  () => ({ describeRefusal }),
);

/** Explain why a password reset page did nothing, where no form can show it. */
function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const { badForm, problems } = translations[locale];
  const reason =
    error.error === "too-many-requests" ? { ...badForm, problem: problems["too-many-attempts"] } : badForm;
  return describeLinkRefusal(error, locale, error.status < 500 ? reason : undefined);
}
