import { type Account, isActivated } from "#shared/accounts/account.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import type { Texts } from "./texts.ts";

/** Page that asks for confirmation, because mail scanners open links but do not submit forms. */
export const activationPage = (
  { ask }: Texts,
  {
    productName,
    account,
    key,
    code,
  }: { productName: string; account: Account | undefined; key: string; code: string },
): Html => html`<h1>${ask.title}</h1>
<p>${ask.intro(productName)}</p>
${
  account &&
  html`<p><strong>${isActivated(account) ? ask.existing(account.name) : ask.registered(account.name)}</strong></p>
`
}<form method="post" action="/activate/confirm">
<input type="hidden" name="key" value="${key}">
<input type="hidden" name="code" value="${code}">
<div class="actions"><button class="primary">${ask.submit}</button></div>
</form>
<p class="muted">${ask.unrequested}</p>
`;

export const activatedPage = (
  { done }: Texts,
  { title, productName, name }: { title: string; productName: string; name: string | undefined },
): Html => html`<h1>${title}</h1>
${
  name &&
  html`<p><strong>${done.account(name)}</strong></p>
`
}<p role="status">${done.outro(productName)}</p>
`;
