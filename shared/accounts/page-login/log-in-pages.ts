import { type Html, html } from "#shared/platform/html/html.ts";
import type { LogInProblem, LogInTexts } from "./log-in-texts.ts";

/** Where the forms of a flow lead: to `<path>/login`, `/code` and `/logout`. */
export interface LogInForms {
  readonly path: string;
  /** Query that all forms pass on, if any. */
  readonly query: string;
  /** Ties the form to the browser's session. */
  readonly formToken: string;
}

/** Asks for an address or handle and the password. */
export const logInPage = (
  texts: LogInTexts,
  {
    intro,
    identity,
    problem,
    ...forms
  }: LogInForms & {
    readonly intro: Html;
    /** The text that was typed before. */
    readonly identity?: string;
    readonly problem?: LogInProblem;
  },
): Html => html`<h1>${texts.logIn.title}</h1>
${intro}
${problemNote(texts, problem)}<form method="post" action="${actionOf(forms, "login")}">
<input type="hidden" name="form_token" value="${forms.formToken}">
<label for="identity">${texts.logIn.identity}</label>
<input id="identity" name="identity" value="${identity}" required autocomplete="username" autocapitalize="none" spellcheck="false"${identity === undefined ? focused(problem) : undefined}>
<label for="password">${texts.logIn.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password"${identity === undefined ? undefined : focused(problem)}>
<div class="actions"><button class="primary">${texts.logIn.submit}</button></div>
</form>
`;

/** Asks for the code of the second factor. */
export const secondFactorPage = (
  texts: LogInTexts,
  { problem, ...forms }: LogInForms & { readonly problem?: LogInProblem },
): Html => html`<h1>${texts.secondFactor.title}</h1>
<p>${texts.secondFactor.intro}</p>
${problemNote(texts, problem)}<form method="post" action="${actionOf(forms, "code")}">
<input type="hidden" name="form_token" value="${forms.formToken}">
<label for="code">${texts.secondFactor.code}</label>
<input class="code" id="code" name="code" required inputmode="numeric" autocomplete="one-time-code"${focused(problem)}>
<div class="actions"><button class="primary">${texts.secondFactor.submit}</button></div>
</form>
<form method="post" action="${actionOf(forms, "logout")}">
<input type="hidden" name="form_token" value="${forms.formToken}">
<button class="plain">${texts.secondFactor.again}</button>
</form>
`;

const actionOf = ({ path, query }: LogInForms, step: string) =>
  `${path}/${step}${query === "" ? "" : `?${query}`}`;

/** The problem with the form; screen readers read it out as soon as it appears. */
const problemNote = (texts: LogInTexts, problem: LogInProblem | undefined): Html | undefined =>
  problem &&
  html`<p class="problem" id="problem" role="alert">${texts.problems[problem]}</p>
`;

/** Attributes of the field that gets the focus; screen readers read out the problem with it. */
const focused = (problem: LogInProblem | undefined): Html =>
  html` autofocus${problem && html` aria-describedby="problem"`}`;
