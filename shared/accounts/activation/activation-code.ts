import { type Code, isLive } from "#shared/codes/code.ts";
import type { CodeStore } from "#shared/codes/code-store.ts";
import { issueCode } from "#shared/codes/issue-code.ts";
import type { MailMessage } from "#shared/mail/message.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import { takeToken } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { activationKey, type IdentityRecord } from "../identity-lookup.ts";

/** The account that a code activates, with its password until it is activated. */
type Owner = Pick<Code, "userId" | "passwordHash">;

/**
 * Issues a new code for an identity, to be sent to the spelling of the request.
 * @throws RateLimitedError
 */
export function newActivationCode(
  { identity, activation }: IdentityRecord,
  owner: Owner,
  { settings, now }: { settings: Settings; now: number },
): Code {
  return issueCode(
    { purpose: "activation", key: activationKey(identity), [identity.kind]: identity.value, ...owner },
    activation,
    { lifetimeSeconds: settings.setActivationTimeout, settings, now },
  );
}

/** Creates the message that carries a code: an activation message if there is an account, else a verification. */
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

/**
 * Returns the code that is pending for an identity. Another spelling of the address has no pending code, because a code
 * only proves the mailbox that it was sent to; spellings that differ only in case mean the same mailbox.
 */
export function pendingActivation({ activation, identity }: IdentityRecord, now: number): Code | undefined {
  if (activation === undefined || !isLive(activation, toSeconds(now))) return undefined;
  const sentTo = activation[identity.kind];
  return sentTo?.toLowerCase() === identity.value.toLowerCase() ? activation : undefined;
}

/**
 * Decides how an identity gets its code: the pending one again, without resetting its attempts, or a new one.
 * @throws RateLimitedError
 */
export function activationDelivery(
  { codes, outbox, settings }: { codes: CodeStore; outbox: Outbox; settings: Settings },
  record: IdentityRecord,
  { pending, owner, locale, now }: { pending: Code | undefined; owner: Owner; locale?: string; now: number },
): Change {
  const code = pending ?? newActivationCode(record, owner, { settings, now });
  const message = outbox.message("mail", activationMessage(code, locale));
  const write = pending
    ? codes.noteDelivery(pending, takeToken(pending.deliveryTat, settings.setCodeDeliveryRateLimit, now))
    : codes.put(code, record.activation);
  return { writes: [write], messages: [message] };
}
