import { emailIdentity } from "#shared/accounts/identity.ts";
import { mailSecondFactorCode } from "#shared/accounts/second-factor/mail-second-factor-code.ts";
import {
  isSecondFactorRequired,
  type SecondFactorAction,
  secondFactorKey,
} from "#shared/accounts/second-factor/second-factor.ts";
import { hashedKey } from "#shared/codes/code-store.ts";
import { networkBucket } from "#shared/platform/rate-limit/rate-limiter.ts";
import type { Deps } from "./deps.ts";

/**
 * Mail a new code, where a second factor is required. For an address without an active account the steps are the same
 * with a decoy, so that neither responses nor their timing reveal which accounts exist.
 *
 * @throws ApiError `invalid-email`; `too-many-requests` within `set2FACodeGenerationDelaySecs` of the last code
 * @see operation `send-verification-code`
 */
export async function sendCode(
  deps: Deps,
  { action, email }: { action: SecondFactorAction; email: string },
  sourceIp: string,
): Promise<void> {
  const { accounts, rateLimiter, settings } = deps;
  const identity = emailIdentity(email, settings);
  if (!isSecondFactorRequired(settings)) return;
  await rateLimiter.take(networkBucket("codes", sourceIp), settings.setCodeDeliveryRateLimitPerIp);
  const claim = await accounts.findClaim(identity);
  const userId = claim?.status === "active" ? claim.userId : undefined;
  const key = secondFactorKey(userId ?? hashedKey(`decoy#${identity.key}`), action);
  await mailSecondFactorCode(deps, { key, userId });
}
