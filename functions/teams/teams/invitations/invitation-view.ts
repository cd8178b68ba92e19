import type * as z from "zod";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { LinkedInvitation } from "./invitation-link.ts";
import type * as schemas from "./routes.ts";

/** Last version in which an invitation has a field for a phone number. */
const lastVersionWithPhone = 3;

/** An invitation as members who may invite see it. */
export const toInvitationView = (
  { invitation, url }: LinkedInvitation,
  version: number,
): z.input<typeof schemas.invitation> => ({
  ...toInvitationFields(invitation, version),
  url,
});

/** Fields that the invitee sees, too. */
export const toInvitationFields = (
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
