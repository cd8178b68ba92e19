import { currentStatus } from "#shared/accounts/account.ts";
import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { checkSecondFactor, type SecondFactorAction } from "#shared/accounts/second-factor/second-factor.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/**
 * Check the password of a user and, if an action is named, the second factor for it.
 *
 * @throws ApiError `invalid-credentials` (also for an unknown or deleted user) and those of `reauthenticate` and
 *   `checkSecondFactor`
 * @see operation `i-reauthenticate`
 */
export async function reauthenticateUser(
  deps: Deps,
  command: { userId: string; password?: string; code?: string; action?: SecondFactorAction },
): Promise<void> {
  const { accounts, clock, passwordChecks } = deps;
  const { userId, password, code, action } = command;
  const account = await accounts.get(userId);
  if (account === undefined || currentStatus(account, clock()) === "deleted")
    throw new ApiError("invalid-credentials");
  await reauthenticate(passwordChecks, account, password);
  if (action === undefined) return;
  await checkSecondFactor(deps, account, { action, candidate: code });
}
