import { type Html, html } from "#shared/platform/html/html.ts";
import type { Texts } from "./texts.ts";

export const guestLinkPage = (texts: Texts, productName: string): Html => html`<h1>${texts.title}</h1>
<p>${texts.intro(productName)}</p>
<p>${texts.advice(productName)}</p>
<p class="muted">${texts.help}</p>
`;
