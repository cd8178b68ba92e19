import { type Html, html } from "#shared/platform/html/html.ts";
import type { Texts } from "./texts.ts";

export const activatedPage = (
  { done }: Texts,
  { title, productName, name }: { title: string; productName: string; name: string | undefined },
): Html => html`<h1>${title}</h1>
${
  name &&
  html`<p><strong>${done.account(name)}</strong></p>
`
}<p role="status">${done.outro(productName)}</p>
`;
