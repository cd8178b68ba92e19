import { type Html, html } from "#shared/platform/html/html.ts";
import { moment } from "#shared/platform/html/moment.ts";
import type { Cookie } from "#shared/sessions/session.ts";
import { choiceOf } from "./choice.ts";
import { type Frame, layOut, passwordField, tokenField } from "./layout.ts";

interface SessionsContent {
  readonly cookies: readonly Cookie[];
  /** Id of the session in which this page is shown. */
  readonly ownId: number | undefined;
  /** Label of the sessions that these pages have created. */
  readonly pageLabel: string;
  readonly language: string;
  readonly mayEnd: boolean;
}

export function sessionsPage(
  frame: Frame,
  { cookies, ownId, pageLabel, language, mayEnd }: SessionsContent,
): Html {
  const { texts, formToken } = frame;
  const { sessions } = texts;
  const nameOf = ({ label }: Cookie) => {
    if (label === pageLabel) return sessions.accountPage;
    return label === undefined || label === "" ? sessions.unnamed : label;
  };
  const choices = cookies.map((cookie) => ({
    value: String(cookie.id),
    label: cookie.id === ownId ? `${nameOf(cookie)} (${sessions.here})` : nameOf(cookie),
    note: sessions.since(moment(cookie.createdAt, language), moment(cookie.expiresAt, language)),
  }));
  const list = choiceOf({ name: "session", legend: sessions.legend }, choices);
  return layOut(
    frame,
    "sessions",
    html`<p>${sessions.intro}</p>
<form method="post" action="/account/sessions">
${tokenField(formToken)}
${list}${
  mayEnd
    ? html`${passwordField(frame)}
<div class="actions">
<button name="which" value="one">${sessions.endOne}</button>
<button class="danger" name="which" value="all">${sessions.endAll}</button>
</div>`
    : html`<p class="muted">${sessions.needsEmail}</p>`
}
</form>`,
  );
}
