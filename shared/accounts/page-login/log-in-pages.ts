import { type Html, html } from "#shared/platform/html/html.ts";
import type { LogInProblem, LogInTexts } from "./log-in-texts.ts";

/** Where the forms of a flow lead: to `<path>/login`, `/company`, `/code` and `/logout`. */
export interface LogInForms {
  readonly path: string;
  /** Query that all forms pass on, if any. */
  readonly query: string;
  /** Ties the form to the browser's session. */
  readonly formToken: string;
}

/** Asks for an address or handle and the password, or for the company through which to log in. */
export const logInPage = (
  texts: LogInTexts,
  {
    intro,
    identity,
    company,
    problem,
    ...forms
  }: LogInForms & {
    readonly intro: Html;
    /** The text that was typed before. */
    readonly identity?: string | undefined;
    /** Login code that a link has named. */
    readonly company?: string | undefined;
    readonly problem?: LogInProblem;
  },
): Html => {
  const focus = problem === "unknown-company" ? "company" : identity === undefined ? "identity" : "password";
  return html`<h1>${texts.logIn.title}</h1>
${intro}
${problemNote(texts, problem)}<form method="post" action="${actionOf(forms, "login")}">
<input type="hidden" name="form_token" value="${forms.formToken}">
<label for="identity">${texts.logIn.identity}</label>
<input id="identity" name="identity" value="${identity}" required autocomplete="username" autocapitalize="none" spellcheck="false"${focus === "identity" ? focused(problem) : undefined}>
<label for="password">${texts.logIn.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password"${focus === "password" ? focused(problem) : undefined}>
<div class="actions"><button class="primary">${texts.logIn.submit}</button></div>
</form>
<p><a href="/password-reset/page/request">${texts.logIn.forgotten}</a></p>
<h2>${texts.company.title}</h2>
<form method="post" action="${actionOf(forms, "company")}">
<input type="hidden" name="form_token" value="${forms.formToken}">
<label for="company">${texts.company.field}</label>
<input id="company" name="company" value="${company}" maxlength="320" autocapitalize="none" spellcheck="false" ${focus === "company" ? html`autofocus aria-describedby="problem company-hint"` : html`aria-describedby="company-hint"`}>
<p class="muted" id="company-hint">${texts.company.hint}</p>
<div class="actions"><button>${texts.company.submit}</button></div>
</form>
`;
};

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
