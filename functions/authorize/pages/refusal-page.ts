import { type Html, html } from "#shared/html/html.ts";
import type { Problem, Texts } from "./texts.ts";

/** For what cannot be told to the app, because it is not known where the app is. */
export const refusalPage = (texts: Texts, problem: Problem): Html => html`<h1>${texts.refusal.title}</h1>
<p class="problem" role="alert">${texts.problems[problem]}</p>
<p class="muted">${texts.refusal.advice}</p>
`;
