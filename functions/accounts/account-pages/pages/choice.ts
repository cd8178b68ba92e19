import { type Html, html } from "#shared/platform/html/html.ts";

/** One of several things to choose from. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly note: string;
}

/** A group of radio buttons. */
export const choiceOf = (
  { name, legend }: { readonly name: string; readonly legend: string },
  choices: readonly Choice[],
): Html => html`<fieldset>
<legend>${legend}</legend>
${choices.map(
  (
    { value, label, note },
    index,
  ) => html`<label class="choice"><input type="radio" name="${name}" value="${value}"${index === 0 && choices.length === 1 ? html` checked` : undefined}><span>${label}<span class="muted">${note}</span></span></label>
`,
)}</fieldset>
`;
