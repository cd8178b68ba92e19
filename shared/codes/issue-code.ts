import { toSeconds } from "#shared/platform/clock.ts";
import { inPlaceOf } from "#shared/platform/data/unknown-fields.ts";
import { bucketLimitsOf, limitOf } from "#shared/platform/rate-limit/network.ts";
import { type BucketLimits, RateLimitedError, takeToken } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { anyNetwork, type Code, countersOf, isLongCode, maxCodeAttempts, maxTotalAttempts } from "./code.ts";
import { newNonce } from "./verification-code.ts";

/** Seconds in which one of the wrong attempts from all networks is forgotten. */
const attemptDecaySeconds = 600;

/**
 * Issues a new code, which replaces the last one of its key. Wrong attempts at the replaced code are charged to slow
 * limits of their network and of all networks. Otherwise, one could alternate three guesses and a new code forever. A
 * network that has used up its limit gets no attempts at the new code.
 *
 * @param options.network where the request for the code comes from, if strangers can make attempts at it
 * @param options.hasLinkKey whether the message carries a key with attempts of its own (`linkKey`), so that sending is
 * useful even if strangers have used up the attempts of all networks
 * @param options.messages messages with the code
 * @param options.deliveryLimits limits of the messages for one key, if not `setCodeDeliveryRateLimit`
 * @throws RateLimitedError when there were too many messages for the key, wrong attempts from the network have used up
 * too many codes, or there were too many attempts in all
 */
export function issueCode(
  content: Pick<
    Code,
    "purpose" | "key" | "email" | "phone" | "userId" | "activations" | "askedBy" | "earlier"
  >,
  previous: Code | undefined,
  {
    lifetimeSeconds,
    settings,
    now,
    network = anyNetwork,
    hasLinkKey = false,
    messages = 1,
    deliveryLimits = settings.setCodeDeliveryRateLimit,
  }: {
    lifetimeSeconds: number;
    settings: Settings;
    now: number;
    network?: string;
    hasLinkKey?: boolean;
    messages?: number;
    deliveryLimits?: BucketLimits;
  },
): Code {
  return inPlaceOf(previous, {
    ...content,
    nonce: newNonce(),
    expiresAt: toSeconds(now) + lifetimeSeconds,
    deliveryTat: takeToken(previous?.deliveryTat, deliveryLimits, now, messages),
    ...attemptsOfAll(previous, { now, isWorthSending: hasLinkKey || isLongCode(content.purpose) }),
    ...attemptsByNetwork(previous, network, settings.setCodeReplacementRateLimit, now),
  });
}

/** @throws RateLimitedError when the code could not be attempted at all */
function attemptsOfAll(
  previous: Code | undefined,
  { now, isWorthSending }: { now: number; isWorthSending: boolean },
): Pick<Code, "attempts" | "countedAt"> {
  if (previous === undefined) return { attempts: 0, countedAt: now };
  const decay = attemptDecaySeconds * 1000;
  const forgotten = Math.floor((now - previous.countedAt) / decay);
  const attempts = Math.max(0, previous.attempts - forgotten);
  const countedAt = attempts === 0 ? now : previous.countedAt + forgotten * decay;
  if (attempts >= maxTotalAttempts && !isWorthSending)
    throw new RateLimitedError((countedAt + decay - now) / 1000);
  return { attempts, countedAt };
}

/** @throws RateLimitedError when the network that asks for the code could not attempt it */
function attemptsByNetwork(
  previous: Code | undefined,
  asking: string,
  limits: BucketLimits,
  now: number,
): Pick<Code, "attemptsBy" | "replacementTats"> {
  const stored = Object.entries(previous?.replacementTats ?? {});
  const replacementTats = Object.fromEntries(stored.filter(([, tat]) => tat > now));
  const attemptsBy: Record<string, number> = {};
  const asked = countersOf(asking).map(({ name }) => name);
  for (const [network, attempts] of Object.entries(previous?.attemptsBy ?? {})) {
    if (attempts === 0) continue;
    try {
      const tat = takeToken(replacementTats[network], bucketLimitsOf(network, limits), now);
      if (tat !== undefined) replacementTats[network] = tat;
    } catch (error) {
      if (asked.includes(network)) throw error;
      attemptsBy[network] = limitOf(network, maxCodeAttempts);
    }
  }
  return { attemptsBy, replacementTats };
}
