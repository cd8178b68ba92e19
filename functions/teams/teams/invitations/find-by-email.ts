import { emailIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
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
