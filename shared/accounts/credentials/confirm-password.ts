import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Account } from "../account.ts";
import type { PasswordCheckLimiter } from "./password-check-limiter.ts";
import { reauthenticate } from "./reauthenticate.ts";

const refusals: readonly string[] = [
  "missing-auth",
  "invalid-credentials",
  "suspended",
  "pending-activation",
] satisfies ApiError["error"][];

/**
 * Make sure that the holder of a token also knows the password, before an irreversible change to a team. For an account
 * without a password, none may be sent; users of single sign-on need not send theirs.
 *
 * @throws ApiError `access-denied`, `login-budget-exhausted`
 * @throws RateLimitedError
 */
export async function confirmPassword(
  passwordChecks: PasswordCheckLimiter,
  account: Account,
  password: string | undefined,
): Promise<void> {
  if (account.samlIdentity !== undefined && password === undefined) return;
  try {
    await reauthenticate(passwordChecks, account, password);
  } catch (cause) {
    if (cause instanceof ApiError && refusals.includes(cause.error))
      throw new ApiError("access-denied", { cause });
    throw cause;
  }
}
