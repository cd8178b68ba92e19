import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { translations } from "./pages/texts.ts";

/** Explain why an account deletion page deleted nothing. */
export function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const isCodeRefused = error.error === "deletion-code-rejected";
  return describeLinkRefusal(error, locale, isCodeRefused ? translations[locale].refusedCode : undefined);
}
