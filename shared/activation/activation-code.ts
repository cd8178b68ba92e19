import { toSeconds } from "../clock.ts";
import { type Code, isLive } from "../data/code/code.ts";
import type { CodeStore } from "../data/code/code-store.ts";
import { issueCode } from "../data/code/issue-code.ts";
import type { Write } from "../data/conditions.ts";
import { activationKey, type IdentityRecord } from "../data/identity-lookup.ts";
import { takeToken } from "../data/token-bucket.ts";
import type { MailMessage } from "../mail/message.ts";
import type { Outbox, StagedMessage } from "../messaging/outbox.ts";
import type { Settings } from "../settings.ts";

/** The account that a code activates, and its password while it has not been activated. */
type Owner = Pick<Code, "userId" | "passwordHash">;

/**
 * A fresh code for an identity, mailed to the spelling asked for.
 * @throws ApiError `too-many-requests`
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

/**
 * The code that is pending for an identity. A different spelling of an address has none, because a code proves the
 * mailbox that it was sent to; one that differs by case only is the same mailbox.
 */
export function pendingActivation({ activation, identity }: IdentityRecord, now: number): Code | undefined {
  if (activation === undefined || !isLive(activation, toSeconds(now))) return undefined;
  const sentTo = activation[identity.kind];
  return sentTo?.toLowerCase() === identity.value.toLowerCase() ? activation : undefined;
}

/**
 * Send an identity its code: the pending one again, with its tries still counted, or a fresh one.
 * @throws ApiError `too-many-requests`
 */
export function stageActivationCode(
  { codes, outbox, settings }: { codes: CodeStore; outbox: Outbox; settings: Settings },
  record: IdentityRecord,
  { pending, owner, locale, now }: { pending: Code | undefined; owner: Owner; locale?: string; now: number },
): { writes: Write[]; message: StagedMessage } {
  const code = pending ?? newActivationCode(record, owner, { settings, now });
  const message = outbox.stage("mail", activationMessage(code, locale));
  const write = pending
    ? codes.noteDelivery(pending, takeToken(pending.deliveryTat, settings.setCodeDeliveryRateLimit, now))
    : codes.put(code, record.activation);
  return { writes: [write, message.write], message };
}
