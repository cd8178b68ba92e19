import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { answer } from "#shared/platform/http/answer.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { LastOwnerError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { readTeamUser } from "./team-user.ts";

/**
 * Delete a user of a directory's team: the account ends with the membership. For anybody else, nothing happens.
 *
 * @throws ApiError `scim-forbidden` (the last owner)
 * @see operation `scim-delete-user`
 */
export async function deleteUser(deps: Deps, provisioner: Provisioner, userId: string): Promise<void> {
  const user = await readTeamUser(deps, provisioner, userId);
  if (user === undefined) return;
  await deleteAccount(deps, user.account.userId).catch(
    answer(LastOwnerError, "scim-forbidden", () => ({ message: "A team must have an owner" })),
  );
}
