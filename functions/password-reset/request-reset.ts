import { newNonce } from "#shared/auth/verification-code.ts";
import { toSeconds } from "#shared/clock.ts";
import { type Code, isLive } from "#shared/data/code/code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { ApiError } from "#shared/errors.ts";
import type { MailMessage } from "#shared/mail/message.ts";
import type { Deps } from "./deps.ts";
import { resetKey } from "./reset-key.ts";

/**
 * Send a reset code, unless one is pending. An address without an account goes the same way up to a message that is
 * never delivered, so neither the answer nor its time tells which accounts exist.
 *
 * @throws ApiError `code-exists` while a reset is pending and `tellsPending`; `invalid-email`, `invalid-phone`
 * @see operation `post-password-reset`
 */
export async function requestReset(
  deps: Deps,
  command: { email?: string; phone?: string; tellsPending: boolean },
): Promise<void> {
  const { accounts, client, clock, codes, outbox, settings } = deps;
  const { key, identity, claim } = await resetKey(deps, command);
  const message = await retryStale(async () => {
    const now = toSeconds(clock());
    const [previous, account] = await Promise.all([
      codes.get("password-reset", key),
      accounts.get(claim?.userId ?? "nobody"),
    ]);
    if (previous !== undefined && isLive(previous, now)) {
      if (!command.tellsPending) return undefined;
      throw new ApiError("code-exists", { retryAfterSeconds: previous.expiresAt - now });
    }
    const code: Code = {
      purpose: "password-reset",
      key,
      nonce: newNonce(),
      attempts: 0,
      expiresAt: now + settings.setPasswordResetTimeout,
      userId: claim?.userId,
    };
    const reference = { purpose: "password-reset", codeKey: key, nonce: code.nonce } as const;
    const locale = account?.locale;
    const staged = outbox.stage("mail", toMessage());
    await transact(client, [codes.put(code, previous), staged.write]);
    return staged;

    function toMessage(): MailMessage {
      if (claim === undefined) return { template: "undelivered" };
      if (identity.kind === "phone") {
        return { template: "password-reset-sms", to: identity.value, locale, code: reference };
      }
      return {
        template: "password-reset",
        to: account?.email ?? identity.value,
        locale,
        key,
        code: reference,
      };
    }
  });
  await message?.send();
}
