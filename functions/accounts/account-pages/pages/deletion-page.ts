import { type Html, html } from "#shared/platform/html/html.ts";
import { type Frame, layOut, passwordField, tokenField } from "./layout.ts";

export function deletionPage(frame: Frame, productName: string): Html {
  const { texts, formToken } = frame;
  const { deletion } = texts;
  return layOut(
    frame,
    "deletion",
    html`<p>${deletion.intro(productName)}</p>
<ul>
${deletion.consequences.map((sentence) => html`<li>${sentence}</li>`)}
</ul>
<form method="post" action="/account/deletion">
${tokenField(formToken)}
${passwordField(frame)}
<div class="actions"><button class="danger">${deletion.submit}</button></div>
</form>`,
  );
}

/** For an account that its user cannot delete. */
export const keptPage = (frame: Frame): Html =>
  layOut(frame, "deletion", html`<p>${frame.texts.deletion.managed}</p>`);
