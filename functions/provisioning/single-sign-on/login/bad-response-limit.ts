import type { Clock } from "#shared/platform/clock.ts";
import { networkBucket, type RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { type BucketLimits, RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";

interface Context {
  readonly clock: Clock;
  readonly rateLimiter: RateLimiter;
  readonly settings: { readonly saml: { readonly badResponseRateLimitPerIp: BucketLimits } };
}

const maxRemembered = 1000;

/**
 * Limits how many unusable responses a network may send. Each is charged afterwards, so that a successful login costs
 * no extra call. Empty buckets are remembered in memory, and refused before anything is read.
 */
export class BadResponseLimit {
  readonly #clock: Clock;
  readonly #limits: BucketLimits;
  readonly #rateLimiter: RateLimiter;
  /** When each empty bucket refills, in Unix milliseconds. */
  readonly #emptyUntil = new Map<string, number>();

  constructor({ clock, rateLimiter, settings }: Context) {
    this.#clock = clock;
    this.#limits = settings.saml.badResponseRateLimitPerIp;
    this.#rateLimiter = rateLimiter;
  }

  /** @throws RateLimitedError when the network's bucket is known to be empty */
  check(sourceIp: string): void {
    const bucket = bucketOf(sourceIp);
    const remaining = (this.#emptyUntil.get(bucket) ?? 0) - this.#clock();
    if (remaining > 0) throw new RateLimitedError(remaining / 1000);
    this.#emptyUntil.delete(bucket);
  }

  /** @throws RateLimitedError when the network's bucket is empty */
  async charge(sourceIp: string): Promise<void> {
    const bucket = bucketOf(sourceIp);
    try {
      await this.#rateLimiter.take(bucket, this.#limits);
    } catch (error) {
      if (error instanceof RateLimitedError) this.#remember(bucket, error);
      throw error;
    }
  }

  #remember(bucket: string, { retryAfterSeconds }: RateLimitedError): void {
    if (this.#emptyUntil.size >= maxRemembered) this.#emptyUntil.clear();
    this.#emptyUntil.set(bucket, this.#clock() + retryAfterSeconds * 1000);
  }
}

const bucketOf = (sourceIp: string): string => networkBucket("saml-bad-responses", sourceIp);
