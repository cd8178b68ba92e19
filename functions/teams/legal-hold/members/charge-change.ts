import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";

/**
 * Charge a user for a change of somebody's legal hold, because a service is called for it.
 * @throws RateLimitedError
 */
export const chargeChange = ({ rateLimiter, settings }: Deps, { userId }: Pick<Actor, "userId">) =>
  rateLimiter.take(`legal-hold-changes#${userId}`, settings.legalHoldService.changeRateLimit);
