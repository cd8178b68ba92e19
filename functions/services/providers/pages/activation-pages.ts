import { type Html, html } from "#shared/platform/html/html.ts";
import { providerHome } from "#shared/services/provider-pages/provider-visit.ts";
import type { Texts } from "./texts.ts";

/** Page that asks for confirmation, because mail scanners open links but do not submit forms. */
export const activationPage = (
  { ask }: Texts,
  { productName, key, code }: { productName: string; key: string; code: string },
): Html => html`<h1>${ask.title}</h1>
<p>${ask.intro(productName)}</p>
<form method="post" action="/provider/activate/confirm">
<input type="hidden" name="key" value="${key}">
<input type="hidden" name="code" value="${code}">
<div class="actions"><button class="primary">${ask.submit}</button></div>
</form>
<p class="muted">${ask.unrequested}</p>
`;

export const activatedPage = (
  { confirmed, logIn }: Texts,
  { title, productName }: { title: string; productName: string },
): Html => html`<h1>${title}</h1>
<p role="status">${confirmed.outro(productName)}</p>
<p><a href="${providerHome}">${logIn}</a></p>
`;
