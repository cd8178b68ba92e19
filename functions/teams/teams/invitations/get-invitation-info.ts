import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { Deps } from "../deps.ts";

/**
 * Get an invitation by its code, which only the invitee has.
 *
 * @throws ApiError `invalid-invitation-code`
 * @see operation `get-team-invitation-info`
 */
export async function getInvitationInfo(
  { accounts, invitations }: Deps,
  code: string,
): Promise<{ invitation: Invitation; inviterEmail: string | undefined }> {
  const invitation = await invitations.findByCode(code);
  if (invitation === undefined) throw new ApiError("invalid-invitation-code");
  const { createdBy } = invitation;
  const inviter = createdBy === undefined ? undefined : await accounts.get(createdBy);
  return { invitation, inviterEmail: inviter?.email };
}
