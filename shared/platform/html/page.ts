import { createHash } from "node:crypto";
import type { RawBody } from "../http/route.ts";
import { accentStyle, type Brand, brandMark, colourDeclarations, legalFooter } from "./brand.ts";
import type { Locale } from "./choose-locale.ts";
import { type Html, html } from "./html.ts";

/** Content of a page for browsers: a card in the middle, without scripts. */
export interface PageContent {
  readonly language: Locale;
  readonly settings: Brand;
  readonly title: string;
  readonly body: Html;
  /** Whether submitting its forms can lead to other origins. */
  readonly leadsElsewhere?: boolean;
}

/** A page as a response: its text and its headers. */
export interface RenderedPage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Body of a route that responds with a page. */
export const pageBody: RawBody = { contentType: "text/html;charset=utf-8" };

/** Colours, for light and dark, and the font. */
export const pageColours = html`:root {
  color-scheme: light dark;
${colourDeclarations}  font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}`;

export const pageStyle = html`
${pageColours}
* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  display: flex;
  flex-direction: column;
  align-items: center;
  justify-content: center;
  padding: 1.5rem 1rem;
  background: var(--canvas);
  color: var(--text);
  overflow-wrap: anywhere;
}
main {
  width: 100%;
  max-width: 26rem;
  padding: 2rem;
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
}
main:has(> nav) { max-width: 38rem; }
footer { margin-top: 1rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin-bottom: 1.25rem; font-size: 0.9rem; }
footer nav { justify-content: center; margin-bottom: 0; }
nav a { padding: 0.25rem 0; }
a { color: var(--accent); border-radius: 0.25rem; }
a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
.logo { display: block; height: 2.5rem; max-width: 100%; object-fit: contain; object-position: left; }
.product { margin: 0 0 1.25rem; color: var(--muted); font-weight: 600; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.1rem; line-height: 1.3; }
h1 { margin: 0 0 0.75rem; font-size: 1.4rem; line-height: 1.3; text-wrap: balance; }
p { margin: 0 0 1rem; }
ul { margin: 0 0 1.25rem; padding: 0; list-style: none; }
li { padding: 0.6rem 0; border-top: 1px solid var(--line); }
li:last-child { border-bottom: 1px solid var(--line); }
dl { margin: 0 0 1.5rem; }
dt { color: var(--muted); font-size: 0.9rem; }
dd { margin: 0 0 0.75rem; font-weight: 600; }
dd .muted { display: block; font-weight: 400; }
li .detail { display: block; color: var(--muted); font-size: 0.9rem; }
li label { margin-top: 0.5rem; }
li input { margin-bottom: 0.25rem; }
li form { margin-bottom: 0; }
form { margin: 0 0 1.25rem; }
form:last-child { margin-bottom: 0; }
label { display: block; margin-bottom: 0.3rem; font-weight: 600; }
input, select, textarea {
  width: 100%;
  margin-bottom: 1rem;
  padding: 0.65rem 0.75rem;
  font: inherit;
  color: inherit;
  background: var(--field);
  border: 1px solid var(--field-line);
  border-radius: 0.5rem;
}
fieldset { margin: 0 0 1rem; padding: 0; border: 0; }
legend { margin-bottom: 0.3rem; padding: 0; font-weight: 600; }
.choice { display: flex; gap: 0.75rem; margin: 0; padding: 0.6rem 0; border-top: 1px solid var(--line); font-weight: 400; }
.choice:last-child { border-bottom: 1px solid var(--line); }
.choice .muted { display: block; }
textarea { resize: vertical; }
textarea.code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.8rem; }
input:is([type="radio"], [type="checkbox"]) { flex: none; width: 1.25rem; height: 1.25rem; margin: 0.15rem 0 0; accent-color: var(--accent); }
input[readonly] { color: var(--muted); background: var(--canvas); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
input.code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 1.25rem; letter-spacing: 0.15em; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; }
button {
  flex: 1 1 8rem;
  min-height: 2.75rem;
  padding: 0.6rem 1rem;
  font: inherit;
  font-weight: 600;
  color: var(--accent);
  background: transparent;
  border: 1px solid var(--accent);
  border-radius: 0.5rem;
  cursor: pointer;
}
button.primary { color: var(--on-accent); background: var(--accent); }
button.danger { color: #ffffff; background: var(--danger); border-color: var(--danger); }
button.plain { flex: none; min-height: 0; padding: 0.25rem 0; color: var(--accent); border: 0; border-radius: 0.25rem; font-weight: 400; text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.problem { margin-bottom: 1.25rem; padding: 0.75rem 1rem; color: var(--bad); background: var(--bad-soft); border-radius: 0.5rem; }
.done { margin-bottom: 1.25rem; padding: 0.75rem 1rem; color: var(--good); background: var(--good-soft); border-radius: 0.5rem; }
.muted { color: var(--muted); font-size: 0.9rem; }
.muted:last-child { margin-bottom: 0; }
@media (max-width: 28rem) {
  body { padding: 0; justify-content: flex-start; background: var(--surface); }
  main { border: 0; border-radius: 0; padding: 1.5rem 1.25rem; }
  footer { margin: 0; padding: 0 1.25rem 1.5rem; }
}
`;

/** Computed for the first page: the first hash of a process takes milliseconds, and most functions render no page. */
let styleHash: string | undefined;

/** Source of the style in a content security policy. */
export const styleSource = (): string => {
  styleHash ??= sourceOf(pageStyle.toString());
  return styleHash;
};

/** Source of an inline text in a content security policy. */
export const sourceOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Renders a page and its headers: nothing is loaded or executed, and no other page may frame it. */
export function renderPage({
  language,
  settings,
  title,
  body,
  leadsElsewhere = false,
}: PageContent): RenderedPage {
  const accent = accentStyle(settings);
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – ${settings.productName}</title>
<style>${pageStyle}</style>${
    accent &&
    html`
<style>${accent}</style>`
  }
</head>
<body>
<main>
<p class="product">${brandMark(settings)}</p>
${body}
</main>
${legalFooter(settings, language)}</body>
</html>
`;
  return {
    body: document.toString(),
    headers: {
      "content-security-policy": [
        "default-src 'none'",
        `style-src ${[styleSource(), ...(accent === undefined ? [] : [sourceOf(accent.toString())])].join(" ")}`,
        ...(settings.branding.logo === undefined ? [] : ["img-src data:"]),
        // Chromium applies this to every redirect that follows a form, including those of other origins.
        ...(leadsElsewhere ? [] : ["form-action 'self'"]),
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join("; "),
      // With `no-referrer`, browsers send forms with `Origin: null` (Fetch standard, "append a request Origin header").
      "referrer-policy": "same-origin",
      "x-frame-options": "DENY",
      vary: "accept-language, cookie",
    },
  };
}
