import type { Settings } from "../product.ts";
import { networkBucket } from "./network.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { BucketLimits } from "./token-bucket.ts";

/** Limit on how often callers of one network may use some routes. */
export interface NetworkLimit {
  /** Routes with the same scope share their tokens. */
  readonly scope: string;
  readonly limits: (settings: Settings) => BucketLimits;
}

/**
 * Take a token of the caller's network.
 * @throws RateLimitedError
 */
export const chargeNetwork = (
  { rateLimiter, settings }: { readonly rateLimiter: Pick<RateLimiter, "take">; readonly settings: Settings },
  { scope, limits }: NetworkLimit,
  sourceIp: string,
): Promise<void> => rateLimiter.take(networkBucket(scope, sourceIp), limits(settings));
