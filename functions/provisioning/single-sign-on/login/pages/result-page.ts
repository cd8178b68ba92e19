import type { Brand } from "#shared/platform/html/brand.ts";
import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { type Html, html, script } from "#shared/platform/html/html.ts";
import { type RenderedPage, sourceOf } from "#shared/platform/html/page.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { renderDocument } from "./render-document.ts";
import { type Problem, problemOfDenial, problemOfError, translations } from "./texts.ts";

interface Surroundings {
  readonly language: Locale;
  readonly settings: Brand & Pick<Settings, "vendor">;
}

/** Texts of the page for a user who was not let in. */
export interface Failure {
  readonly label: string;
  /** Id by which the operator finds the login in the log. */
  readonly requestId: string;
}

/** The page at the end of a login, which tells the window that opened it. */
export function successPage({ language, settings }: Surroundings): RenderedPage {
  const { heading, text } = translations[language].success;
  return renderDocument({
    language,
    settings,
    title: `${settings.vendor}:sso:success`,
    ...posting({ type: "AUTH_SUCCESS" }),
    content: html`<h1>${heading}</h1>
<p>${text}</p>`,
  });
}

/** The page for a user whom the identity provider or the team does not let in, which tells the window that opened it. */
export function denialPage(
  { label, requestId, reasons }: Failure & { readonly reasons: readonly string[] },
  { language, settings }: Surroundings,
): RenderedPage {
  return renderDocument({
    language,
    settings,
    title: errorTitle(label, settings),
    // For every label, because apps know no other here.
    ...posting({ type: "AUTH_ERROR", payload: { label: "forbidden", errors: reasons } }),
    content: failureOf({ problem: problemOfDenial(label), requestId }, language),
  });
}

/**
 * The page for an unusable response, or for a login that cannot begin. It has no script.
 * @param mistake what the developer of the app should read, if the login could not begin
 */
export function errorPage(
  { label, requestId, mistake }: Failure & { readonly mistake: string | undefined },
  { language, settings }: Surroundings,
): RenderedPage {
  const trace = Buffer.from(JSON.stringify({ label, requestId })).toString("base64");
  const problem = problemOfError(label, mistake !== undefined);
  const explained = problem === "wrong-start" && mistake !== undefined;
  return renderDocument({
    language,
    settings,
    title: errorTitle(label, settings),
    content: html`${failureOf({ problem, requestId }, language)}
${explained ? html`<p class="muted" lang="en">${mistake}</p>` : undefined}
<p class="muted">${trace}</p>`,
  });
}

const errorTitle = (label: string, { vendor }: Pick<Settings, "vendor">) => `${vendor}:sso:error:${label}`;

/** A script that posts a message to the window that opened the page. Any origin may read it: it holds no secret. */
function posting(message: object): { readonly script: Html; readonly scriptSources: readonly string[] } {
  const source = `if (window.opener) window.opener.postMessage(${toScript(message)}, '*');`;
  return { script: script(source), scriptSources: [sourceOf(source)] };
}

/** JSON that HTML cannot take for markup. */
const toScript = (value: object): string =>
  JSON.stringify(value).replaceAll(
    /[<>&]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function failureOf(
  { problem, requestId }: { readonly problem: Problem; readonly requestId: string },
  language: Locale,
): Html {
  const { heading, problems, advice, reference } = translations[language].failure;
  return html`<h1>${heading}</h1>
<p class="problem" role="alert">${problems[problem]}</p>
<p>${advice}</p>
<dl><dt>${reference}</dt><dd>${requestId}</dd></dl>`;
}
