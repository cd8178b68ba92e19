import { toSeconds } from "#shared/clock.ts";
import { contactIdentity } from "#shared/data/account/identity.ts";
import { isLive } from "#shared/data/code/code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { takeToken } from "#shared/data/token-bucket.ts";
import { activationMessage, newActivationCode } from "./activation-code.ts";
import { checkAllowList } from "./allow-list.ts";
import { checkAvailable } from "./contact-identities.ts";
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
): Promise<void> {
  const { client, codes, settings, clock, identities, outbox } = deps;
  checkAllowList(command, settings);
  const identity = contactIdentity(command, settings);

  const message = await retryStale(async () => {
    const record = await identities.find(identity);
    checkAvailable(record);
    const now = clock();
    const pending =
      record.activation && isLive(record.activation, toSeconds(now)) ? record.activation : undefined;
    const code = pending ?? newActivationCode(record, {}, { settings, now });
    const write = pending
      ? codes.noteDelivery(pending, takeToken(pending.deliveryTat, settings.setCodeDeliveryRateLimit, now))
      : codes.put(code, record.activation);
    const staged = outbox.stage("mail", activationMessage(code, command.locale));
    await transact(client, [write, staged.write]);
    return staged;
  });
  await message.send();
}
