import { chargePasswordCheck } from "#shared/accounts/credentials/charge-password-check.ts";
import { verifyPassword } from "#shared/accounts/credentials/password.ts";
import type { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provider } from "./provider.ts";

/**
 * Make sure that the holder of a provider's token also knows the password. Checks are limited per provider.
 *
 * @throws ApiError `provider-login-failed`; `too-many-requests` after too many wrong ones
 * @throws RateLimitedError
 */
export async function checkProviderPassword(
  { passwordChecks }: { readonly passwordChecks: PasswordCheckLimiter },
  { providerId, passwordHash }: Provider,
  password: string,
): Promise<void> {
  const scope = { userId: providerId };
  await chargePasswordCheck(passwordChecks, scope, "too-many-requests");
  if (!(await verifyPassword(password, passwordHash))) throw new ApiError("provider-login-failed");
  await passwordChecks.refund(scope);
}
