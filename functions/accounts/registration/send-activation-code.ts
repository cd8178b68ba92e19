import { activationDelivery, pendingActivation } from "#shared/accounts/activation/activation-code.ts";
import { checkAllowList } from "#shared/accounts/activation/allow-list.ts";
import { checkAvailable } from "#shared/accounts/activation/contact-identities.ts";
import { contactIdentity } from "#shared/accounts/identity.ts";
import type { Code } from "#shared/codes/code.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkBucket } from "#shared/platform/rate-limit/rate-limiter.ts";
import type { Deps } from "./deps.ts";

/**
 * Send a code to an e-mail address or phone number. While one is pending, the same one is sent again, with the attempts
 * that it has left.
 *
 * @throws ApiError `allowlist-rejected`, `invalid-email`, `invalid-phone`, `key-exists`, `blacklisted-email`,
 *   `blacklisted-phone`, `too-many-requests`
 * @see operation `post-activate-send`
 */
export async function sendActivationCode(
  deps: Deps,
  command: { email?: string; phone?: string; locale?: string },
  sourceIp: string,
): Promise<void> {
  const { settings, clock, identities, rateLimiter } = deps;
  checkAllowList(command, settings);
  const identity = contactIdentity(command, settings);
  await rateLimiter.take(networkBucket("codes", sourceIp), settings.setCodeDeliveryRateLimitPerIp);

  await change(deps, async () => {
    const record = await identities.find(identity);
    checkAvailable(record);
    const now = clock();
    return activationDelivery(deps, record, {
      pending: pendingActivation(record, now),
      owner: waitingAccount(record.activation),
      locale: command.locale,
      now,
    });
  });
}

/** The account that is still waiting for this identity: the new code belongs to it, as the old one did. */
const waitingAccount = (previous: Code | undefined) =>
  previous === undefined || previous.usedBy !== undefined
    ? {}
    : { userId: previous.userId, passwordHash: previous.passwordHash };
