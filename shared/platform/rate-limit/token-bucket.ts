import type { Settings } from "../product.ts";

/**
 * A token bucket in one number: the time at which the bucket would be full again ("theoretical arrival time"), in
 * unix milliseconds. Absent means full.
 */
export type BucketTat = number | undefined;

/** Burst and refill time of a bucket; a refill time of 0 turns the limit off. */
export type BucketLimits = Settings["setCodeDeliveryRateLimit"];

/** A bucket is empty. Callers get `too-many-requests`. */
export class RateLimitedError extends Error {
  override readonly name = "RateLimitedError";
  /** Seconds until there is a token again. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(`No token for ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * How far the clock of a request may lie behind that of an earlier one. Without this, the later of two concurrent
 * requests would miss the last token by some milliseconds.
 */
const slackMs = ({ refillSeconds }: BucketLimits): number => Math.min(500, refillSeconds * 500);

/** The latest `tat` of a bucket that has a token. */
export const lastTat = (now: number, limits: BucketLimits): number =>
  now + (limits.burst - 1) * limits.refillSeconds * 1000 + slackMs(limits);

/**
 * Take tokens. One available token is enough: the others are owed, and the bucket stays empty until they are refilled.
 * @throws RateLimitedError when the bucket is empty
 */
export function takeToken(tat: BucketTat, limits: BucketLimits, now: number, count = 1): BucketTat {
  if (limits.refillSeconds === 0) return undefined;
  const interval = limits.refillSeconds * 1000;
  const next = Math.max(tat ?? now, now) + interval;
  const excess = next - now - limits.burst * interval;
  if (excess > slackMs(limits)) throw new RateLimitedError(excess / 1000);
  return next + (count - 1) * interval;
}
