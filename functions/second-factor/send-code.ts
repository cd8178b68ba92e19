import { mailSecondFactorCode } from "#shared/auth/mail-second-factor-code.ts";
import {
  isSecondFactorRequired,
  type SecondFactorAction,
  secondFactorKey,
} from "#shared/auth/second-factor.ts";
import { emailIdentity } from "#shared/data/account/identity.ts";
import { hashedKey } from "#shared/data/code/code-store.ts";
import { networkBucket } from "#shared/data/rate-limit/rate-limiter.ts";
import type { Deps } from "./deps.ts";

/**
 * Mail a new code, where a second factor is required. An address without an active account is sent a decoy: neither
 * answers nor their time tell which accounts exist.
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
