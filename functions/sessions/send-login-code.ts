import { newNonce } from "#shared/auth/verification-code.ts";
import { toSeconds } from "#shared/clock.ts";
import { phoneIdentity } from "#shared/data/account/identity.ts";
import { type Code, isLive } from "#shared/data/code/code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { takeToken } from "#shared/data/token-bucket.ts";
import { ApiError } from "#shared/errors.ts";
import type { MailMessage } from "#shared/mail/message.ts";
import type { Deps } from "./deps.ts";

/**
 * Send a login code by SMS; while one is pending the same one is sent again.
 *
 * @returns seconds that the code is still valid
 * @throws ApiError `invalid-phone` (malformed, or no active account has it), `password-exists` unless `force`,
 *   `blacklisted-phone`, `too-many-requests`
 * @see operation `send-login-code`
 */
export async function sendLoginCode(deps: Deps, command: { phone: string; force: boolean }): Promise<number> {
  const { accounts, client, clock, codes, identities, outbox, settings } = deps;
  const identity = phoneIdentity(command.phone);
  const { code, message } = await retryStale(async () => {
    const [{ claim, isBlocked }, previous] = await Promise.all([
      identities.find(identity),
      codes.get("login", identity.key),
    ]);
    if (claim?.status !== "active") throw new ApiError("invalid-phone");
    if (claim.passwordHash !== undefined && !command.force) throw new ApiError("password-exists");
    if (isBlocked) throw new ApiError("blacklisted-phone");
    const now = clock();
    const deliveryTat = takeToken(previous?.deliveryTat, settings.setCodeDeliveryRateLimit, now);
    const isPending = previous?.userId === claim.userId && isLive(previous, toSeconds(now));
    const current: Code = isPending
      ? previous
      : {
          purpose: "login",
          key: identity.key,
          nonce: newNonce(),
          attempts: 0,
          expiresAt: toSeconds(now) + settings.setLoginCodeTimeout,
          phone: identity.value,
          userId: claim.userId,
          deliveryTat,
        };
    const account = await accounts.get(claim.userId);
    const staged = outbox.stage("mail", {
      template: "login-sms",
      to: identity.value,
      locale: account?.locale,
      code: { purpose: "login", codeKey: current.key, nonce: current.nonce },
    } satisfies MailMessage);
    const write = isPending ? codes.noteDelivery(previous, deliveryTat) : codes.put(current, previous);
    await transact(client, [write, staged.write]);
    return { code: current, message: staged };
  });
  await message.send();
  return code.expiresAt - toSeconds(clock());
}
