import { type Html, html } from "#shared/platform/html/html.ts";
import { moment } from "#shared/platform/html/moment.ts";
import { choiceOf } from "./choice.ts";
import { type Frame, layOut, passwordField, tokenField } from "./layout.ts";

/** An app with access. */
export interface ListedApp {
  readonly id: string;
  readonly name: string;
  /** Unix milliseconds. */
  readonly since: number;
}

export function appsPage(
  frame: Frame,
  { apps, language }: { readonly apps: readonly ListedApp[]; readonly language: string },
): Html {
  const { texts, formToken } = frame;
  if (apps.length === 0) return layOut(frame, "apps", html`<p>${texts.apps.none}</p>`);
  const choices = apps.map(({ id, name, since }) => ({
    value: id,
    label: name,
    note: texts.apps.since(moment(since, language)),
  }));
  return layOut(
    frame,
    "apps",
    html`<p>${texts.apps.intro}</p>
<form method="post" action="/account/apps">
${tokenField(formToken)}
${choiceOf({ name: "app", legend: texts.apps.legend }, choices)}${passwordField(frame)}
<div class="actions"><button class="danger">${texts.apps.submit}</button></div>
</form>
<p class="muted">${texts.apps.note}</p>`,
  );
}
