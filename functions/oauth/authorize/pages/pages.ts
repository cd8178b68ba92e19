import type { LogInForms } from "#shared/accounts/page-login/log-in-pages.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import type { OAuthScope, OpenIdScope } from "#shared/registry/oauth-scopes.ts";
import type { Texts } from "./texts.ts";

export const consentPage = (
  texts: Texts,
  {
    appName,
    user,
    redirectUrl,
    scope,
    query,
    formToken,
  }: Omit<LogInForms, "path"> & {
    readonly appName: string;
    readonly user: {
      readonly name: string;
      /** Address, number or handle. */
      readonly identity: string | undefined;
    };
    readonly redirectUrl: URL;
    readonly scope: readonly (OAuthScope | OpenIdScope)[];
  },
): Html => html`<h1>${texts.consent.title(appName)}</h1>
${
  scope.length === 0
    ? html`<p>${texts.consent.asksNothing}</p>`
    : html`<p id="asks">${texts.consent.asks}</p>
<ul aria-labelledby="asks">
${scope.map((name) => html`<li>${texts.consent.scopes[name]}</li>`)}
</ul>`
}
<dl>
<dt>${texts.consent.account}</dt><dd>${user.name}${user.identity && html`<span class="muted">${user.identity}</span>`}</dd>
<dt>${texts.consent.redirect}</dt><dd>${redirectUrl.host === "" ? redirectUrl.protocol : redirectUrl.host}</dd>
</dl>
<form method="post" action="/authorize/decision?${query}">
<input type="hidden" name="form_token" value="${formToken}">
<div class="actions">
<button class="primary" name="decision" value="allow">${texts.consent.allow}</button>
<button name="decision" value="deny">${texts.consent.deny}</button>
</div>
</form>
<p class="muted">${texts.consent.note}</p>
<form method="post" action="/authorize/logout?${query}">
<input type="hidden" name="form_token" value="${formToken}">
<button class="plain">${texts.consent.otherAccount}</button>
</form>
`;

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
