import { emailIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { InvitationKey } from "#shared/teams/invitation-store.ts";
import type { Deps } from "../deps.ts";

/**
 * Find the newest invitation of an address, provided that only one team has invited it.
 *
 * @throws ApiError `invalid-email`, `not-found`, `conflicting-invitations`
 * @see operations `head-team-invitations`, `i-get-invitation-by-email`
 */
export async function findByEmail({ invitations, settings }: Deps, email: string): Promise<InvitationKey> {
  let found: InvitationKey | undefined;
  for await (const invitation of invitations.ofAddress(emailIdentity(email, settings).key)) {
    if (found !== undefined) throw new ApiError("conflicting-invitations");
    found = invitation;
  }
  if (found === undefined) throw new ApiError("not-found");
  return found;
}

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
