import type { ApiError } from "#shared/errors.ts";
import type { Locale } from "#shared/html/choose-locale.ts";
import type { Refusal } from "#shared/html/refuse-with-page.ts";
import { textsIn } from "./pages/texts-in.ts";

/** Why the pages of account deletion deleted nothing. */
export function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const { refusal } = textsIn(locale);
  const { title } = refusal;
  if (error.status >= 500) return { title, problem: refusal.server, advice: refusal.serverAdvice };
  return error.error === "deletion-code-rejected"
    ? { title, problem: refusal.code, advice: refusal.codeAdvice }
    : { title, problem: refusal.link, advice: refusal.linkAdvice };
}
