import { randomUUID } from "node:crypto";
import { toSeconds } from "#shared/platform/clock.ts";
import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import { hashDomainToken, newDomainToken } from "#shared/teams/registered-domains/challenge-store.ts";
import { verificationSettings } from "#shared/teams/registered-domains/verification-enabled.ts";
import type { Deps } from "../deps.ts";
import { checkNotLocked } from "../transitions.ts";

/** A challenge as only its creator sees it. */
export interface NewChallenge {
  readonly challengeId: string;
  readonly token: string;
  readonly dnsVerificationToken: string;
}

/**
 * Create a challenge for a domain. Open to strangers, so limited per network. Challenges do not affect each other.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `too-many-requests`
 * @see operation `domain-verification-challenge`
 */
export async function createChallenge(
  { challenges, clock, domains, rateLimiter, settings }: Deps,
  domain: string,
  sourceIp: string,
): Promise<NewChallenge> {
  const { challengeLifetimeSecs, rateLimitPerIp } = verificationSettings(settings);
  const [registration] = await Promise.all([
    domains.get(domain),
    rateLimiter.take(networkBucket("domain-challenges", sourceIp), rateLimitPerIp),
  ]);
  checkNotLocked(registration);
  const challengeId = randomUUID();
  const [token, dnsVerificationToken] = [newDomainToken(), newDomainToken()];
  await challenges.create({
    challengeId,
    domain,
    tokenHash: hashDomainToken(token),
    dnsVerificationToken,
    expiresAt: toSeconds(clock()) + challengeLifetimeSecs,
  });
  return { challengeId, token, dnsVerificationToken };
}
