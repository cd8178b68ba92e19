import { answer } from "#shared/platform/http/answer.ts";
import { bucketLimitsOf, networksAround } from "#shared/platform/rate-limit/network.ts";
import type { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import type { BucketLimits } from "#shared/platform/rate-limit/token-bucket.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
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
 * @param exhausted the error when too many checks have failed
 * @returns as `PasswordCheckLimiter.charge`
 * @throws ApiError `exhausted`
 * @throws RateLimitedError
 */
export const chargePasswordCheck = (
  passwordChecks: PasswordCheckLimiter,
  scope: CheckScope,
  exhausted: ErrorName = "login-budget-exhausted",
) =>
  passwordChecks.charge(scope).catch(
    answer(LoginBudgetExhaustedError, exhausted, ({ retryAfterSeconds }) => ({
      retryAfterSeconds,
    })),
  );

/**
 * Charge a login: to its identity and network together and, unless its owner uses that network, to each of the two
 * alone. So guesses from elsewhere cannot keep the owner out.
 *
 * @param exhausted the error when too many logins have failed
 * @returns as `PasswordCheckLimiter.charge`
 * @throws ApiError `exhausted`
 * @throws RateLimitedError
 */
export async function chargeLogin(
  deps: { passwordChecks: PasswordCheckLimiter; rateLimiter: RateLimiter; settings: Settings },
  scope: LoginScope,
  exhausted?: ErrorName,
): Promise<{ isFamiliar: boolean }> {
  const { passwordChecks, rateLimiter, settings } = deps;
  const { perNetwork } = settings.setPasswordHashingRateLimit;
  const { identity, network } = scope;
  const charged = await chargePasswordCheck(passwordChecks, scope, exhausted);
  if (charged.isFamiliar) return charged;
  await rateLimiter.takeAll([
    [{ scope: "login", network }, perNetwork],
    ...loginBuckets(identity, [network], settings).map(({ bucket, limits }) => [bucket, limits] as const),
  ]);
  return charged;
}

/** The buckets of logins with an identity: of the sites around some networks, and of all networks together. */
export function loginBuckets(
  { kind, key }: LoginScope["identity"],
  networks: readonly string[],
  { setPasswordHashingRateLimit: { perAccount, perUser } }: Settings,
): { bucket: string; limits: BucketLimits; network?: string }[] {
  const ofIdentity = `login#${kind}#${key}`;
  const sites = new Set(networks.flatMap((network) => networksAround(network).slice(1)));
  return [
    ...[...sites].map((network) => ({
      bucket: `${ofIdentity}#${network}`,
      limits: bucketLimitsOf(network, perUser),
      network,
    })),
    { bucket: ofIdentity, limits: perAccount },
  ];
}
