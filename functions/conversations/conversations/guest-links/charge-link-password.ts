import { networkBucket, type RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import type { Settings } from "#shared/registry/settings.ts";

/**
 * Charge one hash of the password of a guest link to the user and the network. The buckets are not those of logins:
 * guesses at a link are no reason to refuse its user a login, and the other way round.
 *
 * @throws RateLimitedError
 */
export async function chargeLinkPassword(
  { rateLimiter, settings }: { readonly rateLimiter: RateLimiter; readonly settings: Settings },
  { userId, sourceIp }: { readonly userId: string; readonly sourceIp: string },
): Promise<void> {
  const { perUser, perNetwork } = settings.setPasswordHashingRateLimit;
  const scope = "guest-link-password";
  await rateLimiter.take(`${scope}#${userId}`, perUser);
  // Only now: what one user tries in vain is not taken from others in the same network.
  await rateLimiter.take(networkBucket(scope, sourceIp), perNetwork);
}
