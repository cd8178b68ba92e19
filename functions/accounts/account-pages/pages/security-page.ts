import { type Html, html } from "#shared/platform/html/html.ts";
import { type Frame, layOut, passwordField, tokenField } from "./layout.ts";

export function securityPage(
  frame: Frame,
  /** Where codes of the second factor go; undefined where none is needed. */
  { codesTo }: { readonly codesTo: string | undefined },
): Html {
  const { texts, formToken } = frame;
  const { security } = texts;
  return layOut(
    frame,
    "security",
    html`<h2>${security.password}</h2>
<p>${security.passwordIntro}</p>
<form method="post" action="/account/password">
${tokenField(formToken)}
${passwordField(texts)}
<label for="new-password">${security.newPassword}</label>
<input id="new-password" name="new_password" type="password" required minlength="8" maxlength="1024" autocomplete="new-password" aria-describedby="hint">
<p class="muted" id="hint">${security.hint}</p>
<div class="actions"><button class="primary">${security.submit}</button></div>
</form>
<h2>${security.secondFactor}</h2>
<p>${codesTo === undefined ? security.notRequired : security.required(codesTo)}</p>`,
  );
}
