import { type Html, html } from "#shared/platform/html/html.ts";
import type { StepProblem, Texts } from "./texts.ts";

export interface FormTarget {
  /** Query of the authorization request, which all forms pass on. */
  readonly query: string;
  /** Ties the form to the browser's session. */
  readonly formToken: string;
}

export const logInPage = (
  texts: Texts,
  {
    appName,
    query,
    formToken,
    identity,
    problem,
  }: FormTarget & {
    readonly appName: string;
    /** What was typed before. */
    readonly identity?: string;
    readonly problem?: StepProblem;
  },
): Html => html`<h1>${texts.logIn.title}</h1>
<p>${texts.logIn.intro(appName)}</p>
${problemNote(texts, problem)}<form method="post" action="/authorize/login?${query}">
<input type="hidden" name="form_token" value="${formToken}">
<label for="identity">${texts.logIn.identity}</label>
<input id="identity" name="identity" value="${identity}" required maxlength="320" autocomplete="username" autocapitalize="none" spellcheck="false"${identity === undefined ? focused(problem) : undefined}>
<label for="password">${texts.logIn.password}</label>
<input id="password" name="password" type="password" required maxlength="1024" autocomplete="current-password"${identity === undefined ? undefined : focused(problem)}>
<div class="actions"><button class="primary">${texts.logIn.submit}</button></div>
</form>
`;

export const secondFactorPage = (
  texts: Texts,
  { query, formToken, problem }: FormTarget & { readonly problem?: StepProblem },
): Html => html`<h1>${texts.secondFactor.title}</h1>
<p>${texts.secondFactor.intro}</p>
${problemNote(texts, problem)}<form method="post" action="/authorize/code?${query}">
<input type="hidden" name="form_token" value="${formToken}">
<label for="code">${texts.secondFactor.code}</label>
<input class="code" id="code" name="code" required maxlength="64" inputmode="numeric" autocomplete="one-time-code"${focused(problem)}>
<div class="actions"><button class="primary">${texts.secondFactor.submit}</button></div>
</form>
<form method="post" action="/authorize/logout?${query}">
<input type="hidden" name="form_token" value="${formToken}">
<button class="plain">${texts.secondFactor.again}</button>
</form>
`;

/** What went wrong with the form; read out by screen readers as soon as it appears. */
const problemNote = (texts: Texts, problem: StepProblem | undefined): Html | undefined =>
  problem &&
  html`<p class="problem" id="problem" role="alert">${texts.problems[problem]}</p>
`;

/** Attributes of the field that gets the focus; screen readers read out the problem with it. */
const focused = (problem: StepProblem | undefined): Html =>
  html` autofocus${problem && html` aria-describedby="problem"`}`;
