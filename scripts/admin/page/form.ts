import { type Html, html } from "#shared/platform/html/html.ts";
import type { Outcome } from "./run-task.ts";
import type { Entered, FormField, Task } from "./task.ts";

/** Prefix of the names of a task's own fields, which distinguishes them from those of every form. */
const prefix = "field.";

/** Values of the fields of a task, from a form or a link. */
export const enteredIn = (parameters: URLSearchParams): Entered =>
  new Map(
    [...parameters].flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    ),
  );

/** Address of a task with its subject filled in. */
export const hrefAbout = ({ href, subject = "" }: Task, value: string) =>
  `${href}&${new URLSearchParams({ [prefix + subject]: value })}`;

/** The form of a task. After a run, it may ask for a name to confirm. */
export function taskForm(task: Task, entered: Entered, outcome?: Outcome): Html {
  const confirmation = outcome?.confirmation;
  return html`<form method="post" action="${task.href}#outcome" autocomplete="off">
${task.fields.map((field) => control(field, entered))}${
  task.effect === "changes"
    ? html`<p class="check"><input type="checkbox" id="dry-run" name="dry-run" value="yes"${checked(outcome?.isDryRun === true)}>
<label for="dry-run">Dry run: show what would be sent, and change nothing</label></p>
`
    : undefined
}${
  confirmation === undefined
    ? undefined
    : html`<div class="field confirmation">${outcome?.problem && html`<p class="problem" role="alert">${outcome.problem}</p>`}
<label for="yes">This cannot be undone. Repeat the name of ${confirmation.what}: “${confirmation.name}”</label>
<input id="yes" name="yes" required autofocus spellcheck="false"></div>
`
}<p><button${confirmation === undefined ? html` class="primary"` : html` class="danger"`}>${
    confirmation === undefined ? "Run" : "Run, for good"
  }</button></p>
</form>
`;
}

const checked = (is: boolean) => (is ? html` checked` : html``);
const required = (is: boolean) => (is ? html` required` : html``);

/** A description in Markdown; code is the only markup that occurs. */
const withCode = (text: string): readonly Html[] =>
  text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

function control(field: FormField, entered: Entered): Html {
  const { name, label, description, isRequired, input } = field;
  const id = `${prefix}${name}`;
  const value = entered.get(name) ?? field.initial ?? "";
  const hint =
    description === ""
      ? undefined
      : html`<span class="muted" id="${id}-hint">${withCode(description)}</span>`;
  const described = hint === undefined ? html`` : html` aria-describedby="${id}-hint"`;
  if (input === "flag")
    return html`<p class="check"><input type="checkbox" id="${id}" name="${id}" value="yes"${checked(value !== "")}${described}>
<label for="${id}">${label}</label> ${hint}</p>
`;
  return html`<div class="field"><label for="${id}">${label}${isRequired ? undefined : html` <span class="muted">optional</span>`}</label>
${hint}
${inputFor(field, html` id="${id}" name="${id}"${described}${required(isRequired)}`, value)}</div>
`;
}

function inputFor({ input, choices = [], isRequired }: FormField, attributes: Html, value: string): Html {
  switch (input) {
    case "choice":
      return html`<select${attributes}>
${isRequired && value !== "" ? undefined : html`<option value=""></option>\n`}${choices.map(
  (choice) => html`<option${choice === value ? html` selected` : undefined}>${choice}</option>\n`,
)}</select>
`;
    case "lines":
    case "json":
      return html`<textarea${attributes} rows="4" spellcheck="false">
${value}</textarea>
`;
    default:
      return html`<input${attributes}${input === "integer" ? html` inputmode="numeric"` : undefined} spellcheck="false" value="${value}">
`;
  }
}
