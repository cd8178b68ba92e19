import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import type { Deps } from "../deps.ts";
import { findByEmail } from "./find-by-email.ts";

/**
 * Check that an address is invited by exactly one team; a network may ask that only so often.
 *
 * @throws RateLimitedError
 * @throws ApiError as `findByEmail` does
 * @see operation `head-team-invitations`
 */
export async function checkInvited(deps: Deps, email: string, sourceIp: string): Promise<void> {
  const { lookupsPerNetwork } = deps.settings.setTeamInvitationRateLimit;
  await deps.rateLimiter.take(networkBucket("invitation-lookups", sourceIp), lookupsPerNetwork);
  await findByEmail(deps, email);
}
