import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";

/**
 * A token bucket in one number: the time at which the bucket would be full again ("theoretical arrival time"), in
 * unix milliseconds. Absent means full.
 */
export type BucketTat = number | undefined;

export type BucketLimits = Settings["setCodeDeliveryRateLimit"];

/** Take one token. @throws ApiError `too-many-requests` when the bucket is empty */
export function takeToken(tat: BucketTat, limits: BucketLimits, now: number): BucketTat {
  if (limits.refillSeconds === 0) return undefined;
  const interval = limits.refillSeconds * 1000;
  const next = Math.max(tat ?? now, now) + interval;
  const excess = next - now - limits.burst * interval;
  if (excess > 0) throw new ApiError("too-many-requests", { retryAfterSeconds: excess / 1000 });
  return next;
}
