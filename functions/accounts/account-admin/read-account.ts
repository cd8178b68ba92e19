import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/**
 * Read the status of an account.
 *
 * @throws ApiError `not-found`
 * @see operation `i-get-user-status`
 */
export async function readStatus({ accounts, clock }: Deps, userId: string): Promise<Account["status"]> {
  const account = await accounts.get(userId);
  if (account === undefined) throw new ApiError("not-found");
  return currentStatus(account, clock());
}

/**
 * Read the id of a user's team.
 *
 * @throws ApiError `no-team`
 * @see operation `i-get-user-team`
 */
export async function readTeamId({ accounts }: Deps, userId: string): Promise<string> {
  const account = await accounts.get(userId);
  if (account?.teamId === undefined) throw new ApiError("no-team");
  return account.teamId;
}
