import { accentStyle, type Brand, brandMark, legalFooter } from "#shared/platform/html/brand.ts";
import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { pageStyle, type RenderedPage, sourceOf, styleSource } from "#shared/platform/html/page.ts";

interface Content {
  readonly language: Locale;
  readonly settings: Brand;
  /** Read by apps. */
  readonly title: string;
  readonly content: Html;
  /** Script that runs when the body has been loaded. */
  readonly onLoad?: string;
  /** Inline script in the head. */
  readonly script?: Html | undefined;
  /** Scripts that the page may execute, as sources of its content security policy. */
  readonly scriptSources?: readonly string[];
  /** Whether the body has a form. */
  readonly hasForm?: boolean;
}

/**
 * Renders a page of a login in XHTML 1.1, as existing apps expect it. The targets of its form are not restricted,
 * because browsers apply that to every redirect that follows, and companies redirect to hosts of their own.
 */
export function renderDocument({
  language,
  settings,
  title,
  content,
  onLoad,
  script,
  scriptSources = [],
  hasForm = false,
}: Content): RenderedPage {
  const accent = accentStyle(settings);
  const document = html`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="${language}" lang="${language}">
<head>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="robots" content="noindex"/>
<title>${title}</title>
<style type="text/css">${pageStyle}</style>
${
  accent &&
  html`<style type="text/css">${accent}</style>
`
}${script}
</head>
<body${onLoad && html` onload="${onLoad}"`}>
<main>
<p class="product">${brandMark(settings)}</p>
${content}
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
        ...(scriptSources.length === 0 ? [] : [`script-src ${scriptSources.join(" ")}`]),
        ...(hasForm ? [] : ["form-action 'none'"]),
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join("; "),
      "x-frame-options": "DENY",
      vary: "accept-language",
    },
  };
}
