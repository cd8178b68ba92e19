import { type Html, html } from "#shared/platform/html/html.ts";
import type { FormTarget } from "./log-in-page.ts";
import { focused, problemNote } from "./problem-note.ts";
import type { StepProblem, Texts } from "./texts.ts";

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
