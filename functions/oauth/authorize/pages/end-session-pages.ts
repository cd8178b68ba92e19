import { type Html, html } from "#shared/platform/html/html.ts";
import type { Texts } from "./texts.ts";

export const confirmationPage = (
  texts: Texts["endSession"],
  { name, query, formToken }: { readonly name: string; readonly query: string; readonly formToken: string },
): Html => html`<h1>${texts.title}</h1>
<p>${texts.asks(name)}</p>
<form method="post" action="/authorize/end-session/confirmation?${query}">
<input type="hidden" name="form_token" value="${formToken}">
<div class="actions">
<button class="primary">${texts.logOut}</button>
</div>
</form>
<p class="muted">${texts.note}</p>
`;

export const loggedOutPage = (texts: Texts["endSession"]): Html => html`<h1>${texts.doneTitle}</h1>
<p>${texts.done}</p>
`;
