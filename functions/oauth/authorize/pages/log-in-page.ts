import { type Html, html } from "#shared/platform/html/html.ts";
import { focused, problemNote } from "./problem-note.ts";
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
