import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { LastOwnerError } from "#shared/teams/team-errors.ts";
import type { Deps } from "./deps.ts";

/**
 * Delete an account.
 *
 * @returns whether it existed until now
 * @throws ApiError `not-found`, `no-self-delete-for-team-owner`
 * @see operation `i-delete-user`
 */
export async function deleteUser(deps: Deps, userId: string): Promise<boolean> {
  const isDeleted = await deleteAccount(deps, userId).catch(
    answer(LastOwnerError, "no-self-delete-for-team-owner"),
  );
  if (isDeleted === undefined) throw new ApiError("not-found");
  return isDeleted;
}
