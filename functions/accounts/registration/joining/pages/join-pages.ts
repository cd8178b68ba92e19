import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { maxLength } from "#shared/platform/html/typed-fields.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { Invitee } from "../join.ts";
import type { JoinProblem } from "../routes.ts";
import type { Texts } from "./texts.ts";

interface JoinPageContent extends Invitee {
  readonly productName: string;
  readonly code: string;
  readonly problem: JoinProblem | undefined;
}

/** Page that asks an invitee to join. Mail scanners open its link but do not submit its form. */
export const joinPage = (
  texts: Texts,
  { productName, invitation, team, inviterEmail, hasAccount, code, problem }: JoinPageContent,
): Html => html`<h1>${texts.ask.title}</h1>
<p>${texts.ask.intro(productName)}</p>
<dl>
<dt>${texts.ask.team}</dt><dd>${team.name}</dd>
${
  inviterEmail &&
  html`<dt>${texts.ask.inviter}</dt><dd>${inviterEmail}</dd>
`
}</dl>
${
  problem &&
  html`<p class="problem" id="problem" role="alert">${texts.problems[problem]}</p>
`
}<form method="post" action="/activate/join">
<input type="hidden" name="team-code" value="${code}">
${hasAccount ? existingAccount(texts, invitation, problem) : newAccount(texts, invitation, problem)}</form>
<p class="muted">${texts.ask.unrequested}</p>
`;

/** Read-only, and not sent: it tells people and password managers what the password is for. */
const addressField = (
  { ask }: Texts,
  { email }: Invitation,
): Html => html`<label for="email">${ask.address}</label>
<input id="email" inputmode="email" autocapitalize="none" spellcheck="false" value="${toUnicodeAddress(email)}" readonly autocomplete="username">
`;

const newAccount = (texts: Texts, invitation: Invitation, problem: JoinProblem | undefined): Html => {
  const { ask } = texts;
  const isNameFocused = problem === undefined || problem === "no-name";
  return html`<p>${ask.newAccount}</p>
${addressField(texts, invitation)}<label for="name">${ask.name}</label>
<input id="name" name="name" value="${invitation.name}" required${maxLength(128)} autocomplete="name"${isNameFocused ? focused(problem) : undefined}>
<label for="password">${ask.newPassword}</label>
<input id="password" name="password" type="password" autocomplete="new-password" aria-describedby="hint"${isNameFocused ? undefined : html` autofocus`}>
<p class="muted" id="hint">${ask.passwordHint}</p>
<div class="actions"><button class="primary">${ask.register}</button></div>
`;
};

const existingAccount = (
  texts: Texts,
  invitation: Invitation,
  problem: JoinProblem | undefined,
): Html => html`<p>${texts.ask.existingAccount}</p>
${addressField(texts, invitation)}<label for="password">${texts.ask.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password"${focused(problem)}>
<div class="actions"><button class="primary">${texts.ask.accept}</button></div>
`;

/** Attributes of the field that gets the focus; screen readers read out the problem with it. */
const focused = (problem: JoinProblem | undefined): Html =>
  html` autofocus${problem && html` aria-describedby="problem"`}`;

export const joinedPage = (
  { done }: Texts,
  { team }: Invitee,
  { productName, webAppUrl }: Settings,
): Html => html`<h1>${done.title}</h1>
<p role="status">${done.intro(team.name)}</p>
<p>${done.outro(productName)}</p>
${
  webAppUrl &&
  html`<p><a href="${webAppUrl}">${done.open(productName)}</a></p>
`
}`;
