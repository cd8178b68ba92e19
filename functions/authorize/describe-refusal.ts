import type { ApiError, ErrorName } from "#shared/errors.ts";
import type { Locale } from "#shared/html/choose-locale.ts";
import type { Refusal } from "#shared/html/refuse-with-page.ts";
import type { RefusalProblem } from "./pages/texts.ts";
import { textsIn } from "./pages/texts-in.ts";

const problems: Partial<Record<ErrorName, RefusalProblem>> = {
  "not-found": "unknown-application",
  "redirect-url-mismatch": "wrong-redirect",
  forbidden: "switched-off",
};

/** For what cannot be told to the app, because it is not known where the app is. */
export function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const { problems: sentences, refusal } = textsIn(locale);
  const problem = problems[error.error] ?? (error.status < 500 ? "bad-request" : "server-error");
  return { ...refusal, problem: sentences[problem] };
}
