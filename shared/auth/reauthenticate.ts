import type { Account } from "../data/account/account.ts";
import type { PasswordCheckLimiter } from "../data/password-check/password-check-limiter.ts";
import { ApiError } from "../errors.ts";
import { verifyPassword } from "./password.ts";

/**
 * Make sure that whoever holds the token knows the password, too; who has none must send none.
 *
 * @throws ApiError `suspended`, `pending-activation`, `missing-auth`, `invalid-credentials`, `login-budget-exhausted`,
 *   `too-many-requests`
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
  await passwordChecks.charge(userId);
  if (!(await verifyPassword(password, passwordHash))) throw new ApiError("invalid-credentials");
  await passwordChecks.refund(userId);
}
