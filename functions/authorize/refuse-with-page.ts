import type { ApiError, ErrorName } from "#shared/errors.ts";
import { renderPage } from "#shared/html/page.ts";
import { type HttpResult, renderError } from "#shared/http/render.ts";
import type { HttpEvent } from "#shared/http/request.ts";
import type { Settings } from "#shared/settings.ts";
import { chooseLocale, textsIn } from "./pages/choose-locale.ts";
import { refusalPage } from "./pages/refusal-page.ts";
import type { Problem } from "./pages/texts.ts";

const problems: Partial<Record<ErrorName, Problem>> = {
  "not-found": "unknown-application",
  "redirect-url-mismatch": "wrong-redirect",
  forbidden: "switched-off",
};

/** Errors as a page for browsers, which ask for one, and as JSON for everybody else. */
export function refuseWithPage(error: ApiError, event: HttpEvent, { productName }: Settings): HttpResult {
  const wantsPage = event.headers.accept?.includes("text/html") ?? false;
  if (!wantsPage) return renderError(error);
  const language = chooseLocale(event.headers["accept-language"]);
  const texts = textsIn(language);
  const problem = problems[error.error] ?? (error.status < 500 ? "bad-request" : "server-error");
  const page = renderPage({
    language,
    productName,
    title: texts.refusal.title,
    body: refusalPage(texts, problem),
  });
  return {
    statusCode: error.status,
    headers: { ...error.headers, ...page.headers, "content-type": "text/html;charset=utf-8" },
    body: page.body,
  };
}
