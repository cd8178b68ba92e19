import { type Html, html } from "#shared/platform/html/html.ts";
import type { Texts } from "./texts.ts";

export const deletedPage = ({ done }: Texts, productName: string): Html => html`<h1>${done.title}</h1>
<p role="status">${done.outro(productName)}</p>
`;
