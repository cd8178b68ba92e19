import { type Html, html } from "#shared/platform/html/html.ts";
import { tokenField } from "./layout.ts";
import type { Texts } from "./texts.ts";

/** Asks for the company whose identity provider to use, unless a link has named it. */
export const companyForm = (
  { company: texts }: Texts,
  { formToken, company }: { readonly formToken: string; readonly company: string | undefined },
): Html => html`<h2>${texts.title}</h2>
<form method="post" action="/account/company">
${tokenField(formToken)}
<label for="company">${texts.field}</label>
<input id="company" name="company" value="${company}" maxlength="320" autocapitalize="none" spellcheck="false" aria-describedby="company-hint">
<p class="muted" id="company-hint">${texts.hint}</p>
<div class="actions"><button>${texts.submit}</button></div>
</form>
`;
