import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { type Frame, layOut, passwordField, tokenField } from "./layout.ts";

interface SecurityContent {
  /** Where codes of the second factor go; undefined where none is needed. */
  readonly codesTo: string | undefined;
  readonly logsInByCompany: boolean;
}

export function securityPage(frame: Frame, { codesTo, logsInByCompany }: SecurityContent): Html {
  const { texts, formToken, hasPassword } = frame;
  const { security } = texts;
  const change = html`<p>${security.passwordIntro}</p>
<form method="post" action="/account/password">
${tokenField(formToken)}
${passwordField(frame)}
<label for="new-password">${security.newPassword}</label>
<input id="new-password" name="new_password" type="password" autocomplete="new-password" aria-describedby="hint">
<p class="muted" id="hint">${security.hint}</p>
<div class="actions"><button class="primary">${security.submit}</button></div>
</form>`;
  const secondFactor = logsInByCompany ? security.byCompany : security.notRequired;
  return layOut(
    frame,
    "security",
    html`<h2>${security.password}</h2>
${hasPassword ? change : html`<p>${security.noPassword}</p>`}
<h2>${security.secondFactor}</h2>
<p>${codesTo === undefined ? secondFactor : security.required(toUnicodeAddress(codesTo))}</p>`,
  );
}
