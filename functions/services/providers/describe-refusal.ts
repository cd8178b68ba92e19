import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { translations } from "./pages/translations.ts";

/** Explain why a link in a mail to a provider had no effect. */
export function describeRefusal(error: ApiError, locale: Locale): Refusal {
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
