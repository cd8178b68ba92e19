import { type Html, html } from "#shared/platform/html/html.ts";
import type { ResetProblem } from "../routes.ts";
import type { Texts } from "./texts.ts";

interface PageContent {
  readonly problem?: ResetProblem | undefined;
  /** The text that was typed before. */
  readonly address?: string | undefined;
}

/** Asks for the address of the account. */
export const askPage = (texts: Texts, { problem }: PageContent): Html => html`<h1>${texts.ask.title}</h1>
<p>${texts.ask.intro}</p>
${problemNote(texts, problem)}<form method="post" action="/password-reset/page/request">
<label for="address">${texts.address}</label>
<input id="address" name="address" required autocomplete="username" autocapitalize="none" spellcheck="false" autofocus${described(problem)}>
<div class="actions"><button class="primary">${texts.ask.submit}</button></div>
</form>
<p><a href="/password-reset/page/complete">${texts.ask.haveCode}</a></p>
`;

/** Asks for the code and the new password. */
export const completionPage = (
  texts: Texts,
  { problem, address }: PageContent,
): Html => html`<h1>${texts.complete.title}</h1>
<p>${texts.complete.intro}</p>
${problemNote(texts, problem)}<form method="post" action="/password-reset/page/complete">
<label for="address">${texts.address}</label>
<input id="address" name="address" value="${address}" required autocomplete="username" autocapitalize="none" spellcheck="false"${address === undefined ? autofocused(problem) : undefined}>
<label for="code">${texts.complete.code}</label>
<input class="code" id="code" name="code" required inputmode="numeric" autocomplete="one-time-code"${address === undefined ? undefined : autofocused(problem)}>
${passwordField(texts, html` aria-describedby="hint"`)}
<div class="actions"><button class="primary">${texts.complete.submit}</button></div>
</form>
<p><a href="/password-reset/page/request">${texts.complete.again}</a></p>
`;

/**
 * Asks for the new password after the link in a mail was opened; only its form uses up the code. Others may have the
 * link, so the page does not show whose password it is; its field for the address is there only for password managers.
 */
export const linkedPage = (
  texts: Texts,
  {
    problem,
    address,
    key,
    code,
    productName,
  }: PageContent & {
    readonly key: string;
    readonly code: string;
    readonly productName: string;
  },
): Html => html`<h1>${texts.complete.title}</h1>
<p>${texts.linked.intro(productName)}</p>
${problemNote(texts, problem)}<form method="post" action="/password-reset/page/complete">
<input type="hidden" name="key" value="${key}">
<input type="hidden" name="code" value="${code}">
<label for="address">${texts.address}</label>
<input id="address" value="${address}" autocomplete="username" autocapitalize="none" spellcheck="false" aria-describedby="address-hint">
<p class="muted" id="address-hint">${texts.linked.addressHint}</p>
${passwordField(texts, html` autofocus aria-describedby="${problem === undefined ? "hint" : "problem hint"}"`)}
<div class="actions"><button class="primary">${texts.complete.submit}</button></div>
</form>
<p class="muted">${texts.linked.unrequested}</p>
`;

export const donePage = ({ done }: Texts): Html => html`<h1>${done.title}</h1>
<p role="status">${done.outro}</p>
<p><a href="/account/profile">${done.logIn}</a></p>
`;

const passwordField = (
  { complete }: Texts,
  attributes: Html,
): Html => html`<label for="password">${complete.password}</label>
<input id="password" name="password" type="password" autocomplete="new-password"${attributes}>
<p class="muted" id="hint">${complete.hint}</p>`;

const problemNote = (texts: Texts, problem: ResetProblem | undefined): Html | undefined =>
  problem &&
  html`<p class="problem" id="problem" role="alert">${texts.problems[problem]}</p>
`;

const described = (problem: ResetProblem | undefined) => problem && html` aria-describedby="problem"`;
const autofocused = (problem: ResetProblem | undefined): Html => html` autofocus${described(problem)}`;
