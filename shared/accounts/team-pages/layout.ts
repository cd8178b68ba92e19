import { type Html, html } from "#shared/platform/html/html.ts";
import { outcomeNote } from "#shared/platform/html/outcome-note.ts";
import { usernameField } from "#shared/platform/html/typed-fields.ts";
import { isDone, type TeamOutcome } from "./outcomes.ts";
import { isOwnersOnly, type TeamPageName, teamPaths } from "./team-paths.ts";
import type { TeamTexts } from "./texts.ts";

/** Shown on every page of a team. */
export interface TeamFrame {
  readonly texts: TeamTexts;
  readonly language: string;
  readonly formToken: string;
  readonly isOwner: boolean;
  /** Address, number or handle of the admin. */
  readonly identity: string | undefined;
  /** False: no form asks for a password. */
  readonly hasPassword: boolean;
  readonly outcome: TeamOutcome | undefined;
}

/** Puts the content of a page below its title, what the last form did, and links to the other pages. */
export const layOutTeam = (
  { texts, isOwner, outcome }: TeamFrame,
  current: TeamPageName,
  content: Html,
  title: string = texts.titles[current],
): Html => html`<nav aria-label="${texts.nav}">
${(Object.keys(teamPaths) as TeamPageName[])
  .filter((name) => isOwner || !isOwnersOnly(name))
  .map(
    (
      name,
    ) => html`<a href="${teamPaths[name]}"${name === current ? html` aria-current="page"` : undefined}>${texts.titles[name]}</a>
`,
  )}<a href="/account/profile">${texts.ownAccount}</a>
</nav>
<h1>${title}</h1>
${outcome && outcomeNote(texts.outcomes[outcome], isDone(outcome))}${content}
`;

/** The hidden fields of a form, and those that name what it is about. */
export const hiddenFields = ({ formToken }: TeamFrame, fields: Readonly<Record<string, string>> = {}): Html =>
  html`${Object.entries({ form_token: formToken, ...fields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
  )}`;

/** Asks for the admin's password again before an action that cannot be undone. */
export const adminPasswordField = ({ texts, identity, hasPassword }: TeamFrame): Html | undefined =>
  hasPassword
    ? html`${usernameField(identity)}<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password">
`
    : undefined;
