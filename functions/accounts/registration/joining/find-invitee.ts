import { findInvitation, type OpenInvitation } from "#shared/accounts/find-invitation.ts";
import { storedEmailIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

/** An invitation, and who may accept it. */
export interface Invitee extends OpenInvitation {
  /** Address of the inviter, if the account still has one. */
  readonly inviterEmail: string | undefined;
  /** Whether the address belongs to an account; that account can join. */
  readonly hasAccount: boolean;
}

/**
 * Find the invitation of a link, and whether its recipient has an account.
 *
 * @throws ApiError `cannot-join-multiple-teams` or `suspended` when the account cannot join; what `findInvitation` throws
 */
export async function findInvitee(deps: Deps, code: string): Promise<Invitee> {
  const { accounts, settings } = deps;
  const open = await findInvitation(deps, code);
  const { createdBy, email } = open.invitation;
  const address = storedEmailIdentity(email, settings);
  const [inviter, claim] = await Promise.all([
    createdBy === undefined ? undefined : accounts.get(createdBy),
    accounts.findClaim(address),
  ]);
  if (claim?.teamId !== undefined) throw new ApiError("cannot-join-multiple-teams");
  if (claim !== undefined && claim.status !== "active") throw new ApiError("suspended");
  return {
    ...open,
    inviterEmail: inviter?.email,
    hasAccount: claim !== undefined,
  };
}
