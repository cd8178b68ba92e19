import { phoneIdentity } from "#shared/accounts/identity.ts";
import { chargeSms } from "#shared/accounts/sms-allowance.ts";
import { type Code, isLive } from "#shared/codes/code.ts";
import { issueCode } from "#shared/codes/issue-code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { takeToken } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Deps } from "./deps.ts";

/**
 * Send a login code by SMS; while one is pending, the same one is sent again.
 *
 * @returns seconds until the code expires
 * @throws ApiError `invalid-phone` (malformed, or no active account has it), `password-exists` unless `force`,
 *   `blacklisted-phone`, `too-many-requests`
 * @see operation `send-login-code`
 */
export async function sendLoginCode(
  deps: Deps,
  command: { phone: string; force: boolean },
  sourceIp: string,
): Promise<number> {
  const { accounts, clock, codes, identities, outbox, settings } = deps;
  const identity = phoneIdentity(command.phone);
  const network = networkOf(sourceIp);
  const code = await change(deps, async (attempt) => {
    const [{ claim, isBlocked }, previous] = await Promise.all([
      identities.find(identity),
      codes.get("login", identity.key),
    ]);
    if (claim?.status !== "active") throw new ApiError("invalid-phone");
    if (claim.passwordHash !== undefined && !command.force) throw new ApiError("password-exists");
    if (isBlocked) throw new ApiError("blacklisted-phone");
    if (attempt === 1) await chargeSms(deps, identity, { sourceIp });
    const now = clock();
    const isPending = previous?.userId === claim.userId && isLive(previous, toSeconds(now), network);
    const current: Code = isPending
      ? previous
      : issueCode(
          { purpose: "login", key: identity.key, phone: identity.value, userId: claim.userId },
          previous,
          { lifetimeSeconds: settings.setLoginCodeTimeout, settings, now, network },
        );
    const account = await accounts.get(claim.userId);
    const message = outbox.message("mail", {
      template: "login-sms",
      to: identity.value,
      locale: account?.locale,
      code: { purpose: "login", codeKey: current.key, nonce: current.nonce },
    } satisfies MailMessage);
    const write = isPending
      ? codes.noteDelivery(previous, takeToken(previous.deliveryTat, settings.setCodeDeliveryRateLimit, now))
      : codes.put(current, previous);
    return { writes: [write], messages: [message], result: current };
  });
  return code.expiresAt - toSeconds(clock());
}

/** Find the live login code of a phone number. @throws ApiError `no-pending-login`, `invalid-phone` */
export async function findPendingLogin(
  { codes, clock, verificationCodes }: Deps,
  phone: string,
): Promise<{ code: string; expires_in: number }> {
  const now = toSeconds(clock());
  const pending = await codes.get("login", phoneIdentity(phone).key);
  if (pending === undefined || !isLive(pending, now)) throw new ApiError("no-pending-login");
  const code = await verificationCodes.derive({ ...pending, codeKey: pending.key });
  return { code, expires_in: pending.expiresAt - now };
}
