import type { Account } from "#shared/accounts/account.ts";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { answerLastOwner, protectOwners, readTeamUser } from "./team-user.ts";

/**
 * Delete a user of a directory's team: the account ends with the membership. Does nothing for anybody else.
 *
 * @throws ApiError `scim-forbidden` (an owner)
 * @see operation `scim-delete-user`
 */
export async function deleteUser(deps: Deps, provisioner: Provisioner, userId: string): Promise<void> {
  const user = await readTeamUser(deps, provisioner, userId);
  if (user === undefined) return;
  protectOwners(user);
  const { account } = user;
  const conditions = account.status === "pending-invitation" ? () => withdrawal(deps, account) : undefined;
  await deleteAccount(deps, account.userId, { conditions }).catch(answerLastOwner);
}

/** Creates the writes that remove a pending invitation. */
async function withdrawal({ invitations }: Deps, { teamId = "", userId }: Account): Promise<Write[]> {
  const invitation = await invitations.get({ teamId, invitationId: userId });
  if (invitation === undefined) return [];
  const state = await invitations.readState(invitation);
  return invitations.isIn(invitation, state) ? invitations.remove(invitation, state) : [];
}
