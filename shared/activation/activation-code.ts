import type { Code } from "../data/code/code.ts";
import { issueCode } from "../data/code/issue-code.ts";
import { activationKey, type IdentityRecord } from "../data/identity-lookup.ts";
import type { MailMessage } from "../mail/message.ts";
import type { Settings } from "../settings.ts";

/**
 * A fresh code for an identity, mailed to the spelling asked for.
 * @throws ApiError `too-many-requests`
 */
export function newActivationCode(
  { identity, activation }: IdentityRecord,
  owner: { userId?: string; passwordHash?: string },
  { settings, now }: { settings: Settings; now: number },
): Code {
  return issueCode(
    { purpose: "activation", key: activationKey(identity), [identity.kind]: identity.value, ...owner },
    activation,
    { lifetimeSeconds: settings.setActivationTimeout, settings, now },
  );
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
