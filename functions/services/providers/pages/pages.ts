import { type Html, html } from "#shared/platform/html/html.ts";
import { providerHome } from "#shared/services/provider-pages/provider-visit.ts";
import type { ResetProblem } from "../routes.ts";
import type { Texts } from "./texts.ts";

interface ResetPageContent {
  readonly productName: string;
  readonly key: string;
  readonly code: string;
  readonly problem?: ResetProblem | undefined;
}

/**
 * Page that asks for a new password; only its form uses up the code. Others may have the link, so the page does not
 * show whose password it is; its field for the address is there only for password managers.
 */
export const resetPage = (
  { reset, problems }: Texts,
  { productName, key, code, problem }: ResetPageContent,
): Html => html`<h1>${reset.title}</h1>
<p>${reset.intro(productName)}</p>
${
  problem &&
  html`<p class="problem" id="problem" role="alert">${problems[problem]}</p>
`
}<form method="post" action="/provider/password-reset/confirm">
<input type="hidden" name="key" value="${key}">
<input type="hidden" name="code" value="${code}">
<label for="email">${reset.email}</label>
<input id="email" inputmode="email" autocapitalize="none" spellcheck="false" autocomplete="username" aria-describedby="email-hint">
<p class="muted" id="email-hint">${reset.emailHint}</p>
<label for="password">${reset.password}</label>
<input id="password" name="password" type="password" autocomplete="new-password" autofocus aria-describedby="${problem === undefined ? "hint" : "problem hint"}">
<p class="muted" id="hint">${reset.hint}</p>
<div class="actions"><button class="primary">${reset.submit}</button></div>
</form>
<p class="muted">${reset.unrequested}</p>
`;

export const resetDonePage = ({ resetDone, logIn }: Texts): Html => html`<h1>${resetDone.title}</h1>
<p role="status">${resetDone.outro}</p>
<p><a href="${providerHome}">${logIn}</a></p>
`;

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
