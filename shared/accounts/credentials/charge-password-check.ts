import { answer } from "#shared/platform/http/answer.ts";
import { bucketLimitsOf, networksAround } from "#shared/platform/rate-limit/network.ts";
import type { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import type { Settings } from "#shared/registry/settings.ts";
import {
  type CheckScope,
  LoginBudgetExhaustedError,
  type LoginScope,
  type PasswordCheckLimiter,
} from "./password-check-limiter.ts";

/**
 * Charge one password check to its scope.
 *
 * @returns as `PasswordCheckLimiter.charge`
 * @throws ApiError `login-budget-exhausted`
 * @throws RateLimitedError
 */
export const chargePasswordCheck = (passwordChecks: PasswordCheckLimiter, scope: CheckScope) =>
  passwordChecks.charge(scope).catch(
    answer(LoginBudgetExhaustedError, "login-budget-exhausted", ({ retryAfterSeconds }) => ({
      retryAfterSeconds,
    })),
  );

/**
 * Charge a login: to its identity and network together and, unless its owner uses that network, to each of the two
 * alone. So guesses from elsewhere cannot keep the owner out.
 *
 * @returns as `PasswordCheckLimiter.charge`
 * @throws ApiError `login-budget-exhausted`
 * @throws RateLimitedError
 */
export async function chargeLogin(
  deps: { passwordChecks: PasswordCheckLimiter; rateLimiter: RateLimiter; settings: Settings },
  scope: LoginScope,
): Promise<{ isFamiliar: boolean }> {
  const { passwordChecks, rateLimiter, settings } = deps;
  const { perAccount, perNetwork, perUser } = settings.setPasswordHashingRateLimit;
  const { identity, network } = scope;
  const charged = await chargePasswordCheck(passwordChecks, scope);
  if (charged.isFamiliar) return charged;
  const ofIdentity = `login#${identity.kind}#${identity.key}`;
  await rateLimiter.takeAll([
    [{ scope: "login", network }, perNetwork],
    ...networksAround(network)
      .slice(1)
      .map((site) => [`${ofIdentity}#${site}`, bucketLimitsOf(site, perUser)] as const),
    [ofIdentity, perAccount],
  ]);
  return charged;
}
