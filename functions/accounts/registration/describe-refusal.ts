import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { textsIn } from "./pages/texts-in.ts";

/** Explain why a page of activation confirmed nothing. */
export function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const { refusedCode, takenAddress, closedDomain } = textsIn(locale);
  switch (error.error) {
    case "activation-code-rejected":
      return describeLinkRefusal(error, locale, refusedCode);
    case "key-exists":
      return describeLinkRefusal(error, locale, takenAddress);
    case "condition-failed":
      return describeLinkRefusal(error, locale, closedDomain);
    default:
      return describeLinkRefusal(error, locale);
  }
}
