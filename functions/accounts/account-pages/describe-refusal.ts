import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { translations } from "./pages/translations.ts";

/** Explain why a form did nothing, where no form can show it. */
export const describeRefusal = (error: ApiError, locale: Locale): Refusal =>
  describeLinkRefusal(error, locale, error.status < 500 ? translations[locale].badForm : undefined);
