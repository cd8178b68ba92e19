import type { Locale } from "#shared/platform/html/choose-locale.ts";
import type { Refusal } from "#shared/platform/html/refuse-with-page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { RefusalProblem } from "./pages/texts.ts";
import { translations } from "./pages/translations.ts";

const problems: Partial<Record<ErrorName, RefusalProblem>> = {
  "not-found": "unknown-app",
  "redirect-url-mismatch": "wrong-redirect",
  forbidden: "switched-off",
};

/** Explain a refusal that cannot be sent to the app, because its redirect URL is unknown. */
export function describeRefusal(error: ApiError, locale: Locale): Refusal {
  const { problems: sentences, refusal } = translations[locale];
  const problem = problems[error.error] ?? (error.status < 500 ? "bad-request" : "server-error");
  return { ...refusal, problem: sentences[problem] };
}
