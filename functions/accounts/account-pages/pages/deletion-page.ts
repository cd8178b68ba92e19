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
${passwordField(texts)}
<div class="actions"><button class="danger">${deletion.submit}</button></div>
</form>`,
  );
}
