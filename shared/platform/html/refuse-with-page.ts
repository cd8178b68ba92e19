import type { ApiError } from "../http/api-error.ts";
import { type HttpResult, renderError } from "../http/render.ts";
import type { HttpEvent } from "../http/request.ts";
import type { Brand } from "./brand.ts";
import { chooseLocale, type Locale } from "./choose-locale.ts";
import { html } from "./html.ts";
import { pageBody, renderPage } from "./page.ts";

/** Texts of a page about a failed request. */
export interface Refusal {
  readonly title: string;
  readonly problem: string;
  /** What to do now. */
  readonly advice: string;
}

/** Describes an error for a page, in the language of its reader. */
export type PageRefusal = (error: ApiError, locale: Locale) => Refusal;

/** Renders errors as a page for browsers, which ask for HTML, and as JSON for everybody else. */
export const refuseWithPage =
  (describe: PageRefusal, settings: Brand) =>
  (error: ApiError, event: HttpEvent): HttpResult => {
    const wantsPage = event.headers.accept?.includes("text/html") ?? false;
    if (!wantsPage) return renderError(error);
    const language = chooseLocale(event.headers["accept-language"]);
    const { title, problem, advice } = describe(error, language);
    const { body, headers } = renderPage({
      language,
      settings,
      title,
      body: html`<h1>${title}</h1>
<p class="problem" role="alert">${problem}</p>
<p class="muted">${advice}</p>
`,
    });
    return {
      statusCode: error.status,
      headers: { ...error.headers, ...headers, "content-type": pageBody.contentType },
      body,
    };
  };
