import { emailIdentity } from "#shared/accounts/identity.ts";
import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import type { Deps } from "../deps.ts";
import { acceptAsUser } from "./accept-as-user.ts";
import { findByEmail, findInvitationCode, findPendingInvitation } from "./find-invitation.ts";
import { getInvitation } from "./get-invitation.ts";
import { getInvitationInfo } from "./get-invitation-info.ts";
import { toInvitationFields, toInvitationView } from "./invitation-view.ts";
import { inviteProvisioned } from "./invite-provisioned.ts";
import { listInvitations } from "./list-invitations.ts";
import { revokeInvitation } from "./revoke-invitation.ts";
import type { routes } from "./routes.ts";
import { sendInvitation } from "./send-invitation.ts";

/** First version in which an existing account may be invited unless the request forbids it. */
const firstVersionWithExisting = 7;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "send-team-invitation": async ({ actor, params, body, sourceIp, version }) => {
      const { allow_existing = version >= firstVersionWithExisting, ...fields } = body;
      const sent = await sendInvitation(
        deps,
        { teamId: params.tid, inviterId: actor.userId, allowsExisting: allow_existing, ...fields },
        sourceIp,
      );
      return {
        body: toInvitationView(sent, version),
        headers: { location: `/teams/${params.tid}/invitations/${sent.invitation.invitationId}` },
      };
    },

    "get-team-invitations": async ({ actor, params, query, version }) => {
      const { invitations, hasMore } = await listInvitations(
        deps,
        { teamId: params.tid, userId: actor.userId },
        { after: query.start, limit: query.size },
      );
      return {
        body: {
          invitations: invitations.map((invitation) => toInvitationView(invitation, version)),
          has_more: hasMore,
        },
      };
    },

    "get-team-invitation": async ({ actor, params, version }) => {
      const key = { teamId: params.tid, invitationId: params.iid };
      return { body: toInvitationView(await getInvitation(deps, actor.userId, key), version) };
    },

    "delete-team-invitation": async ({ actor, params }) => {
      await revokeInvitation(deps, actor.userId, { teamId: params.tid, invitationId: params.iid });
      return {};
    },

    "get-team-invitation-info": async ({ query, version }) => {
      const { invitation, inviterEmail } = await getInvitationInfo(deps, query.code);
      return { body: { ...toInvitationFields(invitation, version), created_by_email: inviterEmail } };
    },

    "head-team-invitations": async ({ query }) => {
      await findByEmail(deps, query.email);
      return {};
    },

    "accept-team-invitation": async ({ actor, body }) => {
      await acceptAsUser(deps, actor, body);
      return {};
    },

    "i-invite-provisioned-user": async ({ params: { tid: teamId }, body }) => {
      const { team_id, user_id: userId, external_id: externalId, email, name, locale, role } = body;
      if (team_id !== teamId)
        throw new ApiError("bad-request", { message: "team_id: does not match the path" });
      const account = await inviteProvisioned(deps, {
        userId,
        person: { teamId, name, externalId, ...(locale !== undefined && { locale }) },
        address: emailIdentity(email, deps.settings),
        invitedAs: name,
        role,
      });
      return { body: toSelfProfile(account, deps.settings, deps.clock()) };
    },

    "i-get-invitation-code": async ({ query: { team: teamId, invitation_id: invitationId } }) => ({
      body: { code: await findInvitationCode(deps, { teamId, invitationId }) },
    }),

    "i-get-invitation-by-email": async ({ query }) => {
      const invitation = await findPendingInvitation(deps, query.email);
      return { body: toInvitationView({ invitation }, newestVersion) };
    },
  };
}
