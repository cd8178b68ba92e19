import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { hasMore, utcTime, uuid } from "#shared/platform/http/wire-types.ts";
import { invitationCode } from "#shared/teams/invitation-code.ts";
import { role } from "#shared/teams/permissions.ts";
import { teamPath } from "../schemas.ts";

export const invitationPath = teamPath.extend({
  iid: uuid.meta({ description: "Id of the invitation" }),
});

const inviteeName = z.string().min(1).max(128);

export const newInvitation = z
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

export const provisionedInvitation = z
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

export const invitationPage = z.object({
  start: uuid.optional().meta({ description: "Id of the last invitation of the previous page" }),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(100)
    .meta({ description: "Maximum number of invitations of a page" }),
});

export const invitationList = z
  .object({ invitations: z.array(invitation), has_more: hasMore })
  .meta({ id: "InvitationList" });

export const codeQuery = z.object({ code: invitationCode });

export const invitationInfo = invitation
  .omit({ url: true })
  .extend({ created_by_email: z.string().optional().meta({ description: "Email address of the inviter" }) })
  .meta({ id: "InvitationUserView", description: "An invitation as the invitee sees it" });

export const addressQuery = z.object({ email: accountTypes.queryAddress });

export const acceptance = z.object({ code: invitationCode, password: accountTypes.password }).meta({
  id: "AcceptTeamInvitation",
  examples: [{ code: "ZoFMSmzpBcnnwXTWpwb0ybSZ8dqUyMmN", password: "correct horse battery" }],
});

export const invitationQuery = z.object({
  team: uuid.meta({ description: "Id of the team" }),
  invitation_id: uuid.meta({ description: "Id of the invitation" }),
});

export const codeView = z.object({ code: z.string() }).meta({ id: "InvitationCode" });
