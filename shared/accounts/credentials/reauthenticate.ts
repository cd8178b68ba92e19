import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Account } from "../account.ts";
import { chargePasswordCheck } from "./charge-password-check.ts";
import { verifyPassword } from "./password.ts";
import type { PasswordCheckLimiter } from "./password-check-limiter.ts";

/**
 * Make sure that the holder of a token also knows the password. For an account without a password, none may be sent.
 *
 * @throws ApiError `suspended`, `pending-activation`, `missing-auth`, `invalid-credentials`, `login-budget-exhausted`
 * @throws RateLimitedError
 */
export async function reauthenticate(
  passwordChecks: PasswordCheckLimiter,
  { userId, status, passwordHash }: Account,
  password: string | undefined,
): Promise<void> {
  if (status === "suspended") throw new ApiError("suspended");
  if (status === "pending-invitation") throw new ApiError("pending-activation");
  if (passwordHash === undefined) {
    if (password !== undefined) throw new ApiError("invalid-credentials");
    return;
  }
  if (password === undefined) throw new ApiError("missing-auth");
  await chargePasswordCheck(passwordChecks, { userId });
  if (!(await verifyPassword(password, passwordHash))) throw new ApiError("invalid-credentials");
  await passwordChecks.refund({ userId });
}

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
