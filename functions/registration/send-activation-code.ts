import { pendingActivation, stageActivationCode } from "#shared/activation/activation-code.ts";
import { checkAllowList } from "#shared/activation/allow-list.ts";
import { checkAvailable } from "#shared/activation/contact-identities.ts";
import { contactIdentity } from "#shared/data/account/identity.ts";
import type { Code } from "#shared/data/code/code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { networkBucket } from "#shared/data/rate-limit/rate-limiter.ts";
import type { Deps } from "./deps.ts";

/**
 * Send a code to an address or number. While one is pending the same one is sent again, and its tries stay counted.
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
  const { client, settings, clock, identities, rateLimiter } = deps;
  checkAllowList(command, settings);
  const identity = contactIdentity(command, settings);
  await rateLimiter.take(networkBucket("codes", sourceIp), settings.setCodeDeliveryRateLimitPerIp);

  const message = await retryStale(async () => {
    const record = await identities.find(identity);
    checkAvailable(record);
    const now = clock();
    const staged = stageActivationCode(deps, record, {
      pending: pendingActivation(record, now),
      owner: waitingAccount(record.activation),
      locale: command.locale,
      now,
    });
    await transact(client, staged.writes);
    return staged.message;
  });
  await message.send();
}

/** The account that still waits for this identity: a new code is for it as the old one was. */
const waitingAccount = (previous: Code | undefined) =>
  previous === undefined || previous.usedBy !== undefined
    ? {}
    : { userId: previous.userId, passwordHash: previous.passwordHash };
