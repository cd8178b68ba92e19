import { toSeconds } from "#shared/platform/clock.ts";
import { type BucketLimits, takeToken } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Code } from "./code.ts";
import { newNonce } from "./verification-code.ts";

/**
 * Issues a new code, which replaces the last one of its key. Wrong attempts against that one are charged to a slow
 * bucket: otherwise three guesses, a new code and three more guesses could go on forever.
 *
 * @param options.deliveryLimits for the messages for one key, if not `setCodeDeliveryRateLimit`
 * @throws RateLimitedError when there were too many messages for the key, or wrong attempts used up too many codes
 */
export function issueCode(
  content: Pick<Code, "purpose" | "key" | "email" | "phone" | "userId" | "activations" | "askedBy">,
  previous: Code | undefined,
  {
    lifetimeSeconds,
    settings,
    now,
    deliveryLimits = settings.setCodeDeliveryRateLimit,
  }: { lifetimeSeconds: number; settings: Settings; now: number; deliveryLimits?: BucketLimits },
): Code {
  const wasGuessedAt = previous !== undefined && previous.attempts > 0;
  return {
    ...content,
    nonce: newNonce(),
    attempts: 0,
    expiresAt: toSeconds(now) + lifetimeSeconds,
    deliveryTat: takeToken(previous?.deliveryTat, deliveryLimits, now),
    replacementTat: wasGuessedAt
      ? takeToken(previous.replacementTat, settings.setCodeReplacementRateLimit, now)
      : previous?.replacementTat,
  };
}
