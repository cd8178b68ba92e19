import { type Html, html } from "#shared/html/html.ts";
import type { OAuthScope } from "#shared/oauth/scopes.ts";
import type { FormTarget } from "./log-in-page.ts";
import type { Texts } from "./texts.ts";

export const consentPage = (
  texts: Texts,
  {
    application,
    user,
    redirectHost,
    scope,
    query,
    formToken,
  }: FormTarget & {
    readonly application: string;
    /** Name and address or handle of the account. */
    readonly user: string;
    readonly redirectHost: string;
    readonly scope: readonly OAuthScope[];
  },
): Html => html`<h1>${texts.consent.title(application)}</h1>
<dl>
<dt>${texts.consent.account}</dt><dd>${user}</dd>
<dt>${texts.consent.redirect}</dt><dd>${redirectHost}</dd>
</dl>
${
  scope.length === 0
    ? html`<p>${texts.consent.asksNothing}</p>`
    : html`<p id="asks">${texts.consent.asks}</p>
<ul aria-labelledby="asks">
${scope.map((name) => html`<li>${texts.consent.scopes[name]}</li>`)}
</ul>`
}
<form method="post" action="/authorize/decision?${query}">
<input type="hidden" name="form_token" value="${formToken}">
<div class="actions">
<button class="primary" name="decision" value="allow">${texts.consent.allow}</button>
<button name="decision" value="deny">${texts.consent.deny}</button>
</div>
</form>
<form method="post" action="/authorize/logout?${query}">
<input type="hidden" name="form_token" value="${formToken}">
<p class="muted">${texts.consent.note} <button class="plain">${texts.consent.otherAccount}</button></p>
</form>
`;
