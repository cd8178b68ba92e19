import { activationMessage, newActivationCode } from "#shared/activation/activation-code.ts";
import { checkAllowList } from "#shared/activation/allow-list.ts";
import { checkAvailable } from "#shared/activation/contact-identities.ts";
import { toSeconds } from "#shared/clock.ts";
import { type ContactIdentity, contactIdentity } from "#shared/data/account/identity.ts";
import { type Code, isLive } from "#shared/data/code/code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { networkBucket } from "#shared/data/rate-limit/rate-limiter.ts";
import { takeToken } from "#shared/data/token-bucket.ts";
import type { Deps } from "./deps.ts";

/**
 * Send a code to an address or number. While one is pending the same one is sent again, and its tries stay counted; a
 * different spelling of the address gets a code of its own, because a code proves the mailbox that it was sent to.
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
  const { client, codes, settings, clock, identities, outbox, rateLimiter } = deps;
  checkAllowList(command, settings);
  const identity = contactIdentity(command, settings);
  await rateLimiter.take(networkBucket("codes", sourceIp), settings.setCodeDeliveryRateLimitPerIp);

  const message = await retryStale(async () => {
    const record = await identities.find(identity);
    checkAvailable(record);
    const now = clock();
    const previous = record.activation;
    const isPending =
      previous !== undefined && isLive(previous, toSeconds(now)) && isSameMailbox(previous, identity);
    const code = isPending
      ? previous
      : newActivationCode(record, waitingAccount(previous), { settings, now });
    const write = isPending
      ? codes.noteDelivery(previous, takeToken(previous.deliveryTat, settings.setCodeDeliveryRateLimit, now))
      : codes.put(code, previous);
    const staged = outbox.stage("mail", activationMessage(code, command.locale));
    await transact(client, [write, staged.write]);
    return staged;
  });
  await message.send();
}

/** Spellings that differ by case only are one mailbox; a suffix may lead elsewhere. */
const isSameMailbox = (previous: Code, { kind, value }: ContactIdentity) =>
  previous[kind]?.toLowerCase() === value.toLowerCase();

/** The account that still waits for this identity: a new code is for it as the old one was. */
const waitingAccount = (previous: Code | undefined) =>
  previous === undefined || previous.usedBy !== undefined
    ? {}
    : { userId: previous.userId, passwordHash: previous.passwordHash };
