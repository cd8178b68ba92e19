import { type Html, html } from "#shared/html/html.ts";
import type { Problem, Texts } from "./texts.ts";

/** What went wrong with the form, read out by screen readers as soon as it is there. */
export const problemNote = (texts: Texts, problem: Problem | undefined): Html | undefined =>
  problem &&
  html`<p class="problem" role="alert">${texts.problems[problem]}</p>
`;
