import { newNonce } from "#shared/auth/verification-code.ts";
import { toSeconds } from "#shared/clock.ts";
import type { Code } from "#shared/data/code/code.ts";
import { activationKey, type IdentityRecord } from "#shared/data/identity-lookup.ts";
import { takeToken } from "#shared/data/token-bucket.ts";
import type { MailMessage } from "#shared/mail/message.ts";
import type { Settings } from "#shared/settings.ts";

/** A fresh code for an identity. @throws ApiError `too-many-requests` when it was sent too many messages */
export function newActivationCode(
  { identity, activation }: IdentityRecord,
  owner: { userId?: string; passwordHash?: string },
  { settings, now }: { settings: Settings; now: number },
): Code {
  return {
    purpose: "activation",
    key: activationKey(identity),
    nonce: newNonce(),
    attempts: 0,
    expiresAt: toSeconds(now) + settings.setActivationTimeout,
    [identity.kind]: identity.value,
    ...owner,
    deliveryTat: takeToken(activation?.deliveryTat, settings.setCodeDeliveryRateLimit, now),
  };
}

/** The message that carries a code; with an account behind it, the one that activates the account. */
export function activationMessage(
  { purpose, key, nonce, email, phone, userId }: Code,
  locale?: string,
): MailMessage {
  const code = { purpose: purpose as "activation", codeKey: key, nonce };
  if (phone !== undefined) return { template: "activation-sms", to: phone, locale, code };
  const to = email ?? "";
  return userId === undefined
    ? { template: "verification", to, locale, code }
    : { template: "activation", to, locale, key, code };
}
