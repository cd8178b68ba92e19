import type { Account } from "#shared/accounts/account.ts";
import {
  adminPasswordField,
  hiddenFields,
  layOutTeam,
  type TeamFrame,
} from "#shared/accounts/team-pages/layout.ts";
import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import type { Member } from "#shared/teams/member.ts";
import { type Role, roleOf } from "#shared/teams/permissions.ts";

/** A member, with the account. */
export interface ListedMember {
  readonly member: Member;
  readonly account: Pick<Account, "name" | "email" | "handle">;
}

export function membersPage(
  frame: TeamFrame,
  {
    members,
    ownId,
    after,
  }: {
    readonly members: readonly ListedMember[];
    readonly ownId: string;
    /** The member after whom the next page starts, if there is one. */
    readonly after: string | undefined;
  },
): Html {
  const { texts } = frame;
  return layOutTeam(
    frame,
    "members",
    html`<p>${texts.members.intro}</p>
<ul>
${members.map(
  ({ member: { userId, ...member }, account }) =>
    html`<li><a href="/account/team/member?user=${userId}">${account.name}</a>${userId === ownId ? ` (${texts.members.you})` : undefined}
<span class="detail">${describe(frame, { member, account })}</span></li>
`,
)}</ul>
${
  after === undefined
    ? undefined
    : html`<p><a href="/account/team/members?after=${after}">${texts.members.more}</a></p>
`
}<p><a href="/account/team/file" download>${texts.members.export}</a></p>`,
  );
}

/** The role, and by what else others know the person. */
function describe(
  { texts }: TeamFrame,
  {
    member,
    account: { email, handle },
  }: { member: Pick<Member, "permissions">; account: ListedMember["account"] },
): string {
  const role = roleOf(member.permissions);
  const identity = email === undefined ? handle : toUnicodeAddress(email);
  return [role === undefined ? texts.members.otherRights : texts.roles[role], identity]
    .filter((one) => one !== undefined)
    .join(" · ");
}

/** The forms for one member. */
export function memberPage(
  frame: TeamFrame,
  {
    member,
    account,
    roles,
  }: ListedMember & {
    /** Roles that the admin may give this member; none if the admin may not change the member at all. */
    readonly roles: readonly Role[];
  },
): Html {
  const { texts } = frame;
  const current = roleOf(member.permissions);
  const fields = hiddenFields(frame, { user: member.userId });
  const forms = html`<form method="post" action="/account/team/role">
${fields}<label for="role">${texts.role}</label>
<select id="role" name="role">
${roles.map(
  (role) =>
    html`<option value="${role}"${role === current ? html` selected` : undefined}>${texts.roles[role]}</option>
`,
)}</select>
<div class="actions"><button>${texts.member.save}</button></div>
</form>
<h2>${texts.member.removal}</h2>
<p>${texts.member.warning}</p>
<form method="post" action="/account/team/removal">
${fields}${adminPasswordField(frame)}<div class="actions"><button class="danger">${texts.member.remove}</button></div>
</form>`;
  return layOutTeam(
    frame,
    "members",
    html`<p>${describe(frame, { member, account })}</p>
${roles.length === 0 ? html`<p>${texts.member.fixed}</p>` : forms}`,
    account.name,
  );
}
