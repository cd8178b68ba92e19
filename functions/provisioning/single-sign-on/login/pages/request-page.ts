import type { Brand } from "#shared/platform/html/brand.ts";
import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { html } from "#shared/platform/html/html.ts";
import { type RenderedPage, sourceOf } from "#shared/platform/html/page.ts";
import type { AuthnRequest } from "../initiate-login.ts";
import { renderDocument } from "./render-document.ts";
import { translations } from "./texts.ts";

const submit = "document.forms[0].submit()";

/** The page that takes a browser to the identity provider (SAML bindings 3.5.4): its form submits itself. */
export function requestPage(
  { requestUri, samlRequest }: AuthnRequest,
  { language, settings }: { readonly language: Locale; readonly settings: Brand },
): RenderedPage {
  const { leaving } = translations[language];
  return renderDocument({
    language,
    settings,
    title: leaving.heading,
    // Hashes apply to elements only, unless event handlers are included explicitly.
    scriptSources: ["'unsafe-hashes'", sourceOf(submit)],
    hasForm: true,
    onLoad: submit,
    content: html`<h1>${leaving.heading}</h1>
<p>${leaving.text}</p>
<form action="${requestUri}" method="post" accept-charset="utf-8">
<input type="hidden" name="SAMLRequest" value="${samlRequest}"/>
<div class="actions"><button type="submit" class="primary">${leaving.submit}</button></div>
</form>`,
  });
}
