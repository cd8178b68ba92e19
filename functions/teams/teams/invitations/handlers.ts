import type * as z from "zod";
import type { Account } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { emailIdentity } from "#shared/accounts/identity.ts";
import { acceptInvitation } from "#shared/accounts/join-team.ts";
import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { AlreadyInvitedError, type Invitee, inviteAccount } from "#shared/provisioning/invite-account.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import { TooManyInvitationsError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import type { LinkedInvitation } from "./invitation-link.ts";
import {
  findByEmail,
  findInvitationCode,
  findPendingInvitation,
  getInvitation,
  listInvitations,
} from "./read-invitations.ts";
import { revokeInvitation } from "./revoke-invitation.ts";
import type * as schemas from "./routes.ts";
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

/**
 * Let the acting user join the team that has invited their address.
 *
 * @throws ApiError `invalid-credentials`, `login-budget-exhausted`, `suspended`; what `acceptInvitation` throws
 * @throws RateLimitedError
 * @see operation `accept-team-invitation`
 */
async function acceptAsUser(
  deps: Deps,
  actor: Actor,
  { code, password }: { code: string; password: string },
): Promise<void> {
  const account = await deps.accounts.get(actor.userId);
  if (account === undefined || account.status === "deleted") throw new ApiError("invalid-credentials");
  await reauthenticate(deps.passwordChecks, account, password);
  await acceptInvitation(deps, account, code, actor);
}

/**
 * Get an invitation by its code, which only the invitee has.
 *
 * @throws ApiError `invalid-invitation-code`
 * @see operation `get-team-invitation-info`
 */
async function getInvitationInfo(
  { accounts, invitations }: Deps,
  code: string,
): Promise<{ invitation: Invitation; inviterEmail: string | undefined }> {
  const invitation = await invitations.findByCode(code);
  if (invitation === undefined) throw new ApiError("invalid-invitation-code");
  const { createdBy } = invitation;
  const inviter = createdBy === undefined ? undefined : await accounts.get(createdBy);
  return { invitation, inviterEmail: inviter?.email };
}

/** Last version in which an invitation has a field for a phone number. */
const lastVersionWithPhone = 3;

/** An invitation as members who may invite see it. */
const toInvitationView = (
  { invitation, url }: LinkedInvitation,
  version: number,
): z.input<typeof schemas.invitation> => ({
  ...toInvitationFields(invitation, version),
  url,
});

/** Fields that the invitee sees, too. */
const toInvitationFields = (
  { invitationId, teamId, role, email, name, createdAt, createdBy }: Invitation,
  version: number,
) => ({
  id: invitationId,
  team: teamId,
  role,
  email,
  name: name ?? null,
  ...(version <= lastVersionWithPhone && { phone: null }),
  created_at: new Date(createdAt).toISOString(),
  created_by: createdBy,
});

/**
 * Invite somebody whom a directory knows, and create the invitee's account with a given id.
 *
 * @throws ApiError `key-exists` for an id or external id in use, `email-exists`, `too-many-team-invitations`, those of
 *   `inviteAccount`
 * @throws RateLimitedError
 * @see operation `i-invite-provisioned-user`
 */
function inviteProvisioned(deps: Deps, invitee: Invitee & { readonly userId: string }): Promise<Account> {
  return change(deps, async () => {
    const [existing, { account, ...invited }] = await Promise.all([
      deps.accounts.get(invitee.userId),
      inviteAccount(deps, invitee),
    ]);
    if (existing !== undefined) throw new ApiError("key-exists");
    return { ...invited, result: account };
  })
    .catch(answer(IdentityTakenError, "key-exists"))
    .catch(answer(AlreadyInvitedError, "email-exists"))
    .catch(answer(TooManyInvitationsError, "too-many-team-invitations"));
}
