import type { ApiError } from "#shared/errors.ts";
import type { Locale } from "#shared/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/html/refuse-with-page.ts";
import { textsIn } from "./pages/texts-in.ts";

/** Why the pages of account deletion deleted nothing. */
export function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const isCodeRefused = error.error === "deletion-code-rejected";
  return describeLinkRefusal(error, locale, isCodeRefused ? textsIn(locale).refusedCode : undefined);
}
