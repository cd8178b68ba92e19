import type * as z from "zod";
import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { lastLoginOf } from "#shared/sessions/cookies.ts";
import type { Deps } from "./deps.ts";
import type { activity } from "./schemas.ts";

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

/**
 * Read when a user last logged in and was active.
 *
 * @throws ApiError `not-found`
 * @see operation `i-get-user-activity`
 */
export async function readActivity(
  { accounts, sessions }: Deps,
  userId: string,
): Promise<z.input<typeof activity>> {
  const [account, known] = await Promise.all([accounts.get(userId), sessions.get(userId)]);
  if (account === undefined || account.status === "deleted") throw new ApiError("not-found");
  const lastLogin = lastLoginOf(known);
  return {
    last_login: lastLogin === undefined ? undefined : new Date(lastLogin).toISOString(),
    active_on: known.activeOn,
  };
}
