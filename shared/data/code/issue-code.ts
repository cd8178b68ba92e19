import { newNonce } from "../../auth/verification-code.ts";
import { toSeconds } from "../../clock.ts";
import type { Settings } from "../../settings.ts";
import { type BucketLimits, takeToken } from "../token-bucket.ts";
import type { Code } from "./code.ts";

/**
 * A fresh code in place of the one last made under its key. Wrong tries against that one are charged to a slow bucket:
 * else three guesses, a new code, three more guesses would go on for ever.
 *
 * @param options.deliveryLimits for the messages to one key, where it is not `setCodeDeliveryRateLimit`
 * @throws ApiError `too-many-requests` when the key was sent too many messages, or lost too many codes to wrong tries
 */
export function issueCode(
  content: Pick<Code, "purpose" | "key" | "email" | "phone" | "userId" | "passwordHash" | "askedBy">,
  previous: Code | undefined,
  {
    lifetimeSeconds,
    settings,
    now,
    deliveryLimits = settings.setCodeDeliveryRateLimit,
  }: { lifetimeSeconds: number; settings: Settings; now: number; deliveryLimits?: BucketLimits },
): Code {
  const wasGuessedAt = previous !== undefined && previous.usedBy === undefined && previous.attempts > 0;
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
