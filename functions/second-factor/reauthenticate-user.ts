import { reauthenticate } from "#shared/auth/reauthenticate.ts";
import { checkSecondFactor, type SecondFactorAction } from "#shared/auth/second-factor.ts";
import { currentStatus } from "#shared/data/account/account.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

/**
 * Check the password of a user, and with an action also the second factor.
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
  await checkSecondFactor(deps, { userId, action, candidate: code });
}
