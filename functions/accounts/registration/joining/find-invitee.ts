import { findInvitation, type OpenInvitation } from "#shared/accounts/find-invitation.ts";
import { emailIdentity } from "#shared/accounts/identity.ts";
import { batchRead } from "#shared/platform/data/batch-read.ts";
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
  const { accounts, dynamo, settings } = deps;
  const open = await findInvitation(deps, code);
  const { createdBy, email } = open.invitation;
  const address = emailIdentity(email, settings);
  const inviter = createdBy === undefined ? [] : [createdBy];
  const keys = [...accounts.accountKeys(inviter), ...accounts.stateKeys(address)];
  const items = await batchRead(dynamo, [{ tableName: accounts.tableName, keys }]);
  const { claim } = accounts.stateOf(address, items);
  if (claim?.teamId !== undefined) throw new ApiError("cannot-join-multiple-teams");
  if (claim !== undefined && claim.status !== "active") throw new ApiError("suspended");
  return {
    ...open,
    inviterEmail: inviter.map((id) => accounts.accountOf(id, items)?.email)[0],
    hasAccount: claim !== undefined,
  };
}
