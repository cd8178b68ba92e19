import {
  adminPasswordField,
  hiddenFields,
  layOutTeam,
  type TeamFrame,
} from "#shared/accounts/team-pages/layout.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { moment } from "#shared/platform/html/moment.ts";
import { maxLength } from "#shared/platform/html/typed-fields.ts";
import type { ScimToken } from "#shared/provisioning/scim-token.ts";
import type { TeamProvisioning } from "#shared/provisioning/team-provisioning.ts";

export function tokensPage(
  frame: TeamFrame,
  {
    address,
    tokens,
    providers,
    created,
    needsCode,
  }: {
    /** Where the directory finds the service. */
    readonly address: string;
    readonly tokens: readonly Pick<ScimToken, "id" | "name" | "description" | "createdAt">[];
    readonly providers: readonly Pick<TeamProvisioning["providers"][number], "id" | "handle">[];
    /** Text of the token that has just been created. */
    readonly created: string | undefined;
    readonly needsCode: boolean;
  },
): Html {
  const { texts, language } = frame;
  return layOutTeam(
    frame,
    "tokens",
    html`${
      created &&
      html`<label for="created">${texts.tokens.created}</label>
<textarea class="code" id="created" rows="2" readonly aria-describedby="once">${created}</textarea>
<p class="muted" id="once">${texts.tokens.once}</p>
`
    }<p>${texts.tokens.intro}</p>
<label for="address">${texts.tokens.address}</label>
<input id="address" value="${address}" readonly>
${
  tokens.length === 0
    ? html`<p>${texts.tokens.none}</p>`
    : html`<ul>
${tokens.map(({ id, name, description, createdAt }) => {
  const label = description || name;
  return html`<li>${label}
<span class="detail">${texts.tokens.since(moment(createdAt, language))}</span>
<form method="post" action="/account/team-directory/revocation">
${hiddenFields(frame, { token: id })}<button class="plain">${texts.tokens.revoke}<span class="unseen"> – ${label}</span></button>
</form></li>
`;
})}</ul>`
}
<h2>${texts.tokens.add}</h2>
${
  needsCode
    ? html`<form method="post" action="/account/team-directory/code">
${hiddenFields(frame)}<button class="plain">${texts.tokens.sendCode}</button>
</form>
`
    : undefined
}<form method="post" action="/account/team-directory/tokens">
${hiddenFields(frame)}<label for="purpose">${texts.tokens.description}</label>
<input id="purpose" name="purpose" required${maxLength(512)} autocomplete="off">
<label for="provider">${texts.tokens.provider}</label>
<select id="provider" name="provider">
<option value="">${texts.tokens.noProvider}</option>
${providers.map(
  ({ id, handle }) => html`<option value="${id}">${handle}</option>
`,
)}</select>
${adminPasswordField(frame)}${
  needsCode
    ? html`<label for="code">${texts.tokens.code}</label>
<input class="code" id="code" name="code" inputmode="numeric" autocomplete="one-time-code">
`
    : undefined
}<div class="actions"><button class="primary">${texts.tokens.submit}</button></div>
</form>`,
  );
}
