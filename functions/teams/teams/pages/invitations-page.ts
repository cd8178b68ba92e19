import { hiddenFields, layOutTeam, type TeamFrame } from "#shared/accounts/team-pages/layout.ts";
import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { moment } from "#shared/platform/html/moment.ts";
import type { Role } from "#shared/teams/permissions.ts";
import type { LinkedInvitation } from "../invitations/invitation-link.ts";

export function invitationsPage(
  frame: TeamFrame,
  {
    invitations,
    roles,
    after,
  }: {
    readonly invitations: readonly LinkedInvitation[];
    /** Roles that the admin may give. */
    readonly roles: readonly Role[];
    /** The invitation after which the next page starts, if there is one. */
    readonly after: string | undefined;
  },
): Html {
  const { texts, language } = frame;
  return layOutTeam(
    frame,
    "invitations",
    html`<form method="post" action="/account/team/invitations">
${hiddenFields(frame)}<label for="email">${texts.invitations.email}</label>
<input id="email" name="email" type="email" required maxlength="320" autocomplete="off">
<label for="role">${texts.role}</label>
<select id="role" name="role">
${roles.map(
  (role) =>
    html`<option value="${role}"${role === "member" ? html` selected` : undefined}>${texts.roles[role]}</option>
`,
)}</select>
<div class="actions"><button class="primary">${texts.invitations.submit}</button></div>
</form>
<h2>${texts.invitations.pending}</h2>
${
  invitations.length === 0
    ? html`<p>${texts.invitations.none}</p>`
    : html`<ul>
${invitations.map(({ invitation, url }) => listed(invitation, url))}</ul>`
}${
  after === undefined
    ? undefined
    : html`
<p><a href="/account/team/invitations?after=${after}">${texts.invitations.more}</a></p>`
}`,
  );

  function listed(
    { invitationId, email, role, expiresAt }: LinkedInvitation["invitation"],
    url: string | undefined,
  ): Html {
    const address = toUnicodeAddress(email);
    return html`<li>${address}
<span class="detail">${texts.roles[role]} · ${texts.invitations.until(moment(expiresAt * 1000, language))}</span>
${
  url &&
  html`<label for="link-${invitationId}">${texts.invitations.link}<span class="unseen"> – ${address}</span></label>
<input id="link-${invitationId}" value="${url}" readonly>
`
}<form method="post" action="/account/team/withdrawal">
${hiddenFields(frame, { invitation: invitationId })}<button class="plain">${texts.invitations.withdraw}<span class="unseen"> – ${address}</span></button>
</form></li>
`;
  }
}
