import { type Html, html } from "#shared/platform/html/html.ts";
import type { Texts } from "./texts.ts";

/** Page that asks for confirmation, because mail scanners open links but do not submit forms. */
export const deletionPage = (
  { ask }: Texts,
  { productName, key, code }: { productName: string; key: string; code: string },
): Html => html`<h1>${ask.title}</h1>
<p>${ask.intro(productName)}</p>
<ul>
${ask.consequences.map((sentence) => html`<li>${sentence}</li>`)}
</ul>
<form method="post" action="/delete/confirm">
<input type="hidden" name="key" value="${key}">
<input type="hidden" name="code" value="${code}">
<div class="actions"><button class="danger">${ask.submit}</button></div>
</form>
<p class="muted">${ask.unrequested}</p>
`;

export const deletedPage = ({ done }: Texts, productName: string): Html => html`<h1>${done.title}</h1>
<p role="status">${done.outro(productName)}</p>
`;
