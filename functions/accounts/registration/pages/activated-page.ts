import { type Html, html } from "#shared/platform/html/html.ts";
import type { Texts } from "./texts.ts";

export const activatedPage = (
  { done }: Texts,
  { title, productName }: { title: string; productName: string },
): Html => html`<h1>${title}</h1>
<p role="status">${done.outro(productName)}</p>
`;
