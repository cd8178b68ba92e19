import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import type { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import type { Settings } from "#shared/registry/settings.ts";

/**
 * Charge one password check of a guest link to the user and the network. Its buckets are not those of logins: guesses
 * at a link must not cost the user a login, nor the reverse.
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
  // Only now, so that refused attempts of one user do not use up the budget of others in the same network.
  await rateLimiter.take(networkBucket(scope, sourceIp), perNetwork);
}
