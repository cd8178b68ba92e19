import { type Html, html } from "#shared/platform/html/html.ts";
import { outcomeNote } from "#shared/platform/html/outcome-note.ts";
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
  /** Whether there are pages of a team that the user administers. */
  readonly hasTeam: boolean;
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
  { texts, formToken, hasTeam, outcome }: Frame,
  current: PageName,
  content: Html,
): Html => html`<nav aria-label="${texts.nav}">
${Object.entries(pagePaths).map(
  ([
    name,
    path,
  ]) => html`<a href="${path}"${name === current ? html` aria-current="page"` : undefined}>${texts[name as PageName].title}</a>
`,
)}${
  hasTeam
    ? html`<a href="/account/team/members">${texts.team}</a>
`
    : undefined
}</nav>
<h1>${texts[current].title}</h1>
${noteOn(texts, outcome)}${content}
<form method="post" action="/account/logout">
${tokenField(formToken)}
<button class="plain">${texts.logOut}</button>
</form>
`;

/** What the last form did, or why it did nothing. */
export const noteOn = (texts: Texts, outcome: string | undefined): Html | undefined =>
  outcome !== undefined && isOutcome(outcome)
    ? outcomeNote(texts.outcomes[outcome], isDone(outcome))
    : undefined;

export const tokenField = (formToken: string): Html =>
  html`<input type="hidden" name="form_token" value="${formToken}">`;

/** Asks for the password again before an action that cannot be undone. */
export const passwordField = ({ texts, identity, hasPassword }: Frame): Html | undefined =>
  hasPassword
    ? html`${usernameField(identity)}<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password">`
    : undefined;
