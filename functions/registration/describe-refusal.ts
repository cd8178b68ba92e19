import type { ApiError } from "#shared/errors.ts";
import type { Locale } from "#shared/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/html/refuse-with-page.ts";
import { textsIn } from "./pages/texts-in.ts";

/** Why the pages of activation confirmed nothing. */
export function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const { refusedCode, takenAddress } = textsIn(locale);
  switch (error.error) {
    case "activation-code-rejected":
      return describeLinkRefusal(error, locale, refusedCode);
    case "key-exists":
      return describeLinkRefusal(error, locale, takenAddress);
    default:
      return describeLinkRefusal(error, locale);
  }
}
