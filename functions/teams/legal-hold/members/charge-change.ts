import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";

/**
 * Charge a user for a change of legal hold, because each change calls a service.
 * @throws RateLimitedError
 */
export const chargeChange = ({ rateLimiter, settings }: Deps, { userId }: Pick<Actor, "userId">) =>
  rateLimiter.take(`legal-hold-changes#${userId}`, settings.legalHoldService.changeRateLimit);
