import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { Deps } from "../deps.ts";
import { findByEmail } from "./find-by-email.ts";

/**
 * Derive the code of a pending invitation.
 *
 * @throws ApiError `invalid-invitation-code`
 * @see operation `i-get-invitation-code`
 */
export async function findInvitationCode(
  { invitationCodes, invitations }: Deps,
  key: { teamId: string; invitationId: string },
): Promise<string> {
  const invitation = await invitations.get(key);
  if (invitation === undefined) throw new ApiError("invalid-invitation-code");
  return invitationCodes.derive(invitation);
}

/**
 * Find the pending invitation of an address.
 *
 * @throws ApiError `not-found`, and as `findByEmail` does
 * @see operation `i-get-invitation-by-email`
 */
export async function findPendingInvitation(deps: Deps, email: string): Promise<Invitation> {
  const invitation = await deps.invitations.get(await findByEmail(deps, email));
  if (invitation === undefined) throw new ApiError("not-found");
  return invitation;
}
