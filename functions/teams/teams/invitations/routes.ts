import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { selfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { hasMore, utcTime, uuid } from "#shared/platform/http/wire-types.ts";
import type { NetworkLimit } from "#shared/platform/rate-limit/network-limit.ts";
import { invitationCode } from "#shared/teams/invitation-code.ts";
import { role } from "#shared/teams/permissions.ts";
import { teamPath } from "../schemas.ts";

const invitationPath = teamPath.extend({
  iid: uuid.meta({ description: "Id of the invitation" }),
});

const inviteeName = z.string().min(1).max(128);

const newInvitation = z
  .object({
    email: accountTypes.email,
    role: role.default("member"),
    name: inviteeName.optional().meta({ description: "Name of the invitee, as the inviter knows it" }),
    locale: accountTypes.locale.optional().meta({ description: "Language of the mail: en, de-CH" }),
    allow_existing: z.boolean().optional().meta({
      description:
        "Whether the invitee may already have an account, without a team; true by default from version 7",
    }),
  })
  .meta({ id: "InvitationRequest", examples: [{ email: "ada@example.com", role: "member" }] });

const provisionedInvitation = z
  .object({
    team_id: uuid.meta({ description: "Same as in the path" }),
    user_id: uuid.meta({ description: "Id of the account, and of the invitation" }),
    external_id: z.string().min(1).max(1024).meta({ description: "Id of the user in the directory" }),
    email: accountTypes.email,
    name: inviteeName,
    locale: accountTypes.locale.optional(),
    role: role.default("member"),
  })
  .meta({
    id: "ProvisionedInvitation",
    examples: [
      {
        team_id: "00000000-0000-4000-8000-000000000000",
        user_id: "7f0e3a52-98c6-4b27-b7e5-0d1f6a3c9b84",
        external_id: "ada@example.com",
        email: "ada@example.com",
        name: "Ada",
        role: "member",
      },
    ],
  });

export const invitation = z
  .object({
    id: uuid,
    team: uuid,
    role,
    email: z.string(),
    name: z.string().nullable().meta({ description: "Name of the invited person" }),
    phone: z.null().optional().meta({ description: "Up to version 3", deprecated: true }),
    created_at: utcTime,
    created_by: uuid.optional().meta({ description: "Who sent it; absent: the directory of the team" }),
    url: z.string().optional().meta({
      description: "Link to accept it; only in teams with `exposeInvitationURLsToTeamAdmin`",
    }),
  })
  .meta({ id: "Invitation" });

const invitationPage = z.object({
  start: uuid.optional().meta({ description: "Id of the last invitation of the previous page" }),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(100)
    .meta({ description: "Maximum number of invitations of a page" }),
});

const invitationList = z
  .object({ invitations: z.array(invitation), has_more: hasMore })
  .meta({ id: "InvitationList" });

const codeQuery = z.object({ code: invitationCode });

const invitationInfo = invitation
  .omit({ url: true })
  .extend({ created_by_email: z.string().optional().meta({ description: "Email address of the inviter" }) })
  .meta({ id: "InvitationUserView", description: "An invitation as the invitee sees it" });

const addressQuery = z.object({ email: accountTypes.queryAddress });

const acceptance = z.object({ code: invitationCode, password: accountTypes.password }).meta({
  id: "AcceptTeamInvitation",
  examples: [{ code: "ZoFMSmzpBcnnwXTWpwb0ybSZ8dqUyMmN", password: "correct horse battery" }],
});

const invitationQuery = z.object({
  team: uuid.meta({ description: "Id of the team" }),
  invitation_id: uuid.meta({ description: "Id of the invitation" }),
});

const codeView = z.object({ code: z.string() }).meta({ id: "InvitationCode" });

const invitationLookups: NetworkLimit = {
  scope: "invitation-lookups",
  limits: ({ setTeamInvitationRateLimit }) => setTeamInvitationRateLimit.lookupsPerNetwork,
};

export const routes = defineRoutes({
  "send-team-invitation": {
    method: "POST",
    audit: "team.invitation-sent",
    path: "/teams/{tid}/invitations",
    auth: "user",
    summary: "Invite an email address to a team",
    description:
      "The mail has a code with which the recipient registers, or joins with an existing account. A second " +
      "invitation to an address does not replace the first; accepting one removes the team's others.",
    params: teamPath,
    body: newInvitation,
    responseHeaders: { Location: "Path of the invitation" },
    responses: { 201: invitation },
    errors: [
      "insufficient-permissions",
      "no-team",
      "no-email",
      "invalid-email",
      "domain-blocked-for-registration",
      "blacklisted-email",
      "email-exists",
      "condition-failed",
      "too-many-team-invitations",
      "too-many-requests",
    ],
  },
  "get-team-invitations": {
    method: "GET",
    path: "/teams/{tid}/invitations",
    auth: "user",
    summary: "List the pending invitations of a team",
    description: "In the order of their ids.",
    params: teamPath,
    query: invitationPage,
    responses: { 200: invitationList },
    errors: ["insufficient-permissions"],
  },
  "get-team-invitation": {
    method: "GET",
    path: "/teams/{tid}/invitations/{iid}",
    auth: "user",
    summary: "Get a pending invitation of a team",
    params: invitationPath,
    responses: { 200: invitation },
    errors: ["insufficient-permissions", "not-found"],
  },
  "delete-team-invitation": {
    method: "DELETE",
    audit: "team.invitation-revoked",
    path: "/teams/{tid}/invitations/{iid}",
    auth: "user",
    summary: "Revoke an invitation",
    description: "Also 200 when there is no such invitation or it has been accepted.",
    params: invitationPath,
    responses: { 200: null },
    errors: ["insufficient-permissions"],
  },
  "get-team-invitation-info": {
    method: "GET",
    path: "/teams/invitations/info",
    auth: "none",
    summary: "Get an invitation by its code",
    query: codeQuery,
    responses: { 200: invitationInfo },
    errors: ["invalid-invitation-code"],
    olderForms: {
      "get-team-invitation-info-singular": {
        path: "/teams/invitation/info",
        description: "The same as `get-team-invitation-info`, under another path.",
      },
    },
  },
  "head-team-invitations": {
    method: "HEAD",
    path: "/teams/invitations/by-email",
    auth: "none",
    summary: "Check whether an address is invited to a team",
    description: "200 if one team has invited it.",
    query: addressQuery,
    responses: { 200: null },
    limitByNetwork: invitationLookups,
    errors: ["invalid-email", "not-found", "conflicting-invitations"],
  },
  "accept-team-invitation": {
    method: "POST",
    audit: "team.member-added",
    path: "/teams/invitations/accept",
    since: 7,
    auth: "user",
    summary: "Join a team with an existing account",
    description: "The account keeps its connections, devices and conversations.",
    body: acceptance,
    responses: { 200: null },
    errors: [
      "invalid-credentials",
      "login-budget-exhausted",
      "suspended",
      "pending-activation",
      "missing-identity",
      "invalid-invitation-code",
      "condition-failed",
      "no-team",
      "too-many-team-members",
      "too-many-members-for-legalhold",
      "cannot-join-multiple-teams",
      "too-many-requests",
    ],
  },
  "i-invite-provisioned-user": {
    method: "POST",
    audit: "team.invitation-sent",
    path: "/i/teams/{tid}/invitations",
    auth: "internal",
    summary: "Invite a user whom the directory of a team provisions",
    description:
      "Creates the account under the given id; it cannot be used until the invitation is accepted.",
    params: teamPath,
    body: provisionedInvitation,
    responses: { 200: selfProfile },
    errors: [
      "no-team",
      "invalid-email",
      "domain-blocked-for-registration",
      "blacklisted-email",
      "email-exists",
      "key-exists",
      "condition-failed",
      "too-many-team-members",
      "too-many-members-for-legalhold",
      "too-many-team-invitations",
      "too-many-requests",
    ],
  },
  "i-get-invitation-code": {
    method: "GET",
    audit: { reads: "secret.read" },
    path: "/i/teams/invitation-code",
    auth: "internal",
    summary: "Get the code of a pending invitation",
    query: invitationQuery,
    responses: { 200: codeView },
    errors: ["invalid-invitation-code"],
  },
  "i-get-invitation-by-email": {
    method: "GET",
    path: "/i/teams/invitations/by-email",
    auth: "internal",
    summary: "Get the pending invitation of an address",
    query: addressQuery,
    responses: { 200: invitation },
    errors: ["invalid-email", "not-found", "conflicting-invitations"],
  },
});
