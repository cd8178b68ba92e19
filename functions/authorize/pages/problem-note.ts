import { type Html, html } from "#shared/html/html.ts";
import type { StepProblem, Texts } from "./texts.ts";

/** What went wrong with the form, read out by screen readers as soon as it is there. */
export const problemNote = (texts: Texts, problem: StepProblem | undefined): Html | undefined =>
  problem &&
  html`<p class="problem" id="problem" role="alert">${texts.problems[problem]}</p>
`;

/** Attributes of the field where typing begins; screen readers tell with it what went wrong. */
export const focused = (problem: StepProblem | undefined): Html =>
  html` autofocus${problem && html` aria-describedby="problem"`}`;
