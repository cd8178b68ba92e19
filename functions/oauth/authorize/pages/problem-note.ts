import { type Html, html } from "#shared/platform/html/html.ts";
import type { StepProblem, Texts } from "./texts.ts";

/** What went wrong with the form; read out by screen readers as soon as it appears. */
export const problemNote = (texts: Texts, problem: StepProblem | undefined): Html | undefined =>
  problem &&
  html`<p class="problem" id="problem" role="alert">${texts.problems[problem]}</p>
`;

/** Attributes of the field that gets the focus; screen readers read out the problem with it. */
export const focused = (problem: StepProblem | undefined): Html =>
  html` autofocus${problem && html` aria-describedby="problem"`}`;
