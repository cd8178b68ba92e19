import { type Html, html } from "#shared/platform/html/html.ts";
import { usernameField } from "#shared/platform/html/typed-fields.ts";
import { isDone, isOutcome, type Outcome } from "./outcomes.ts";
import type { Texts } from "./texts.ts";

/** Shown on every page of a logged-in user. */
export interface Frame {
  readonly texts: Texts;
  readonly formToken: string;
  /** Address, number or handle. */
  readonly identity: string | undefined;
  /** False: no form asks for a password. */
  readonly hasPassword: boolean;
  /** What the last form did, or why it did nothing. */
  readonly outcome?: Outcome | undefined;
}

/** The pages, in the order of their links, by path. */
export const pagePaths = {
  profile: "/account/profile",
  security: "/account/security",
  sessions: "/account/sessions",
  apps: "/account/apps",
  deletion: "/account/deletion",
} as const;
export type PageName = keyof typeof pagePaths;

/** Puts the content of a page below its title, what the last form did, and links to the other pages. */
export const layOut = (
  { texts, formToken, outcome }: Frame,
  current: PageName,
  content: Html,
): Html => html`<nav aria-label="${texts.nav}">
${Object.entries(pagePaths).map(
  ([
    name,
    path,
  ]) => html`<a href="${path}"${name === current ? html` aria-current="page"` : undefined}>${texts[name as PageName].title}</a>
`,
)}</nav>
<h1>${texts[current].title}</h1>
${outcomeNote(texts, outcome)}${content}
<form method="post" action="/account/logout">
${tokenField(formToken)}
<button class="plain">${texts.logOut}</button>
</form>
`;

/** What the last form did, or why it did nothing; read out by screen readers as soon as it appears. */
export function outcomeNote(texts: Texts, outcome: string | undefined): Html | undefined {
  if (outcome === undefined || !isOutcome(outcome)) return undefined;
  const text = texts.outcomes[outcome];
  return isDone(outcome)
    ? html`<p class="done" role="status">${text}</p>
`
    : html`<p class="problem" role="alert">${text}</p>
`;
}

export const tokenField = (formToken: string): Html =>
  html`<input type="hidden" name="form_token" value="${formToken}">`;

/** Asks for the password again before an action that cannot be undone. */
export const passwordField = ({ texts, identity, hasPassword }: Frame): Html | undefined =>
  hasPassword
    ? html`${usernameField(identity)}<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password">`
    : undefined;

/** A moment in the reader's language, in UTC because the reader's time zone is unknown. */
export const moment = (milliseconds: number, language: string): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(milliseconds)} UTC`;
