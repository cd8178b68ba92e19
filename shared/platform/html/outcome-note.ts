import { type Html, html } from "./html.ts";

/** What the last form did, or why it did nothing; read out by screen readers as soon as it appears. */
export const outcomeNote = (text: string, isDone: boolean): Html =>
  isDone
    ? html`<p class="done" role="status">${text}</p>
`
    : html`<p class="problem" role="alert">${text}</p>
`;
