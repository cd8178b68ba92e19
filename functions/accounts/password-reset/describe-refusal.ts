import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { translations } from "./pages/texts.ts";

/** Explain why a password reset page did nothing, where no form can show it. */
export function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const { badForm, problems } = translations[locale];
  const reason =
    error.error === "too-many-requests" ? { ...badForm, problem: problems["too-many-attempts"] } : badForm;
  return describeLinkRefusal(error, locale, error.status < 500 ? reason : undefined);
}
