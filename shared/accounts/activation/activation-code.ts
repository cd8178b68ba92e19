import { type ActivationCode, type Code, isLive, isLiveByKey, linkKey } from "#shared/codes/code.ts";
import type { CodeStore } from "#shared/codes/code-store.ts";
import { issueCode } from "#shared/codes/issue-code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { newNonce, type VerificationCodes } from "#shared/codes/verification-code.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import { takeToken } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Account, isActivated } from "../account.ts";
import type { ContactIdentity } from "../identity.ts";
import { activationKey, type IdentityRecord } from "../identity-lookup.ts";

/** An account, and the name of the team that it founds, if any, when it is activated. */
export type AccountAndTeam = Omit<Account, "revision"> & { readonly foundedTeam?: string };

/** The account that a code is for, or undefined for a code that only verifies an address. */
export type Owner = AccountAndTeam | undefined;

/**
 * Maximum number of codes kept for one address or number. Together with the limit on deliveries, this keeps a code
 * valid for at least some minutes, even if others ask for the address, too. A guess is compared with no more codes than
 * this.
 */
const maxCodes = 8;

/** The activation codes of an address that have not been used and have not expired, oldest first. */
export const pendingCodes = (activation: Code | undefined, now: number): ActivationCode[] =>
  activation?.activations?.filter(
    ({ expiresAt, usedBy }) => expiresAt > toSeconds(now) && usedBy === undefined,
  ) ?? [];

/**
 * Find the activation code that a user has entered, used or not, among those of an address; the key of a mail leaves
 * only one to compare with. If two codes are equal by chance, neither counts, because the account is unclear.
 */
export async function enteredCode(
  verificationCodes: VerificationCodes,
  { key, activations = [] }: Code,
  { candidate, nonce, now }: { candidate: string; nonce?: string; now: number },
): Promise<ActivationCode | undefined> {
  const usable = activations.filter(
    (code) =>
      code.expiresAt > toSeconds(now) && (nonce === undefined ? !code.isByKeyOnly : code.nonce === nonce),
  );
  const matches = await Promise.all(
    usable.map((code) => verificationCodes.matches(referenceTo(key, code), candidate)),
  );
  const found = usable.filter((_, index) => matches[index]);
  return found.length === 1 ? found[0] : undefined;
}

/** Data from which the text of an activation code is derived. */
export const referenceTo = (key: string, { nonce }: ActivationCode) =>
  ({ purpose: "activation", codeKey: key, nonce }) as const;

/**
 * Decides which codes the owners of an identity get: a pending code is sent again, with its remaining attempts;
 * otherwise a new one. The codes of others stay as they are. A replaced code stays valid with the key of its mail:
 * otherwise strangers could void it by wrong attempts and a request.
 *
 * @param delivery.network where the request comes from
 * @throws RateLimitedError
 */
export function activationDelivery(
  { codes, outbox, settings }: { codes: CodeStore; outbox: Outbox; settings: Settings },
  { identity, activation }: IdentityRecord,
  {
    owners,
    locale,
    now,
    network,
  }: { owners: readonly Owner[]; locale?: string; now: number; network?: string },
): Change {
  const waiting = pendingCodes(activation, now);
  const isPending =
    activation !== undefined &&
    isLive(activation, toSeconds(now), network) &&
    isLiveByKey(activation, toSeconds(now));
  const pending = isPending ? waiting.filter(({ isByKeyOnly }) => !isByKeyOnly) : [];
  const deliveries = owners.map((owner) => ({
    owner,
    code: pending.find((code) => isFor(code, owner, identity)) ?? newCode(owner, identity, { settings, now }),
  }));
  const sent = deliveries.map(({ code }) => code);
  const hasLinkKey = identity.kind === "email" && owners.some((owner) => owner !== undefined);
  const others = waiting.filter((code) => !owners.some((owner) => isReplacedFor(code, owner, identity)));
  const replaced = waiting.filter((code) => {
    const isSentAnew = owners.some((owner) => owner !== undefined && isFor(code, owner, identity));
    return hasLinkKey && isSentAnew && !sent.includes(code);
  });
  const isResent = activation !== undefined && sent.every((code) => pending.includes(code));
  const key = activationKey(identity);
  return {
    writes: [
      isResent
        ? codes.noteDelivery(
            activation,
            takeToken(activation.deliveryTat, settings.setCodeDeliveryRateLimit, now, deliveries.length),
          )
        : codes.put(
            issueCode(
              { purpose: "activation", key, activations: latest([...others, ...sent], replaced) },
              activation,
              {
                lifetimeSeconds: settings.setActivationTimeout,
                settings,
                now,
                network,
                hasLinkKey,
                messages: deliveries.length,
              },
            ),
            activation,
          ),
    ],
    messages: deliveries.map(({ owner, code }) => {
      const isContested = [...others, ...sent].some(
        ({ userId }) => userId !== undefined && userId !== owner?.userId,
      );
      return outbox.message("mail", toMessage(key, code, { owner, isContested, locale }));
    }),
  };
}

/** The newest codes and, as far as there is room, those that they replace. */
function latest(codes: readonly ActivationCode[], replaced: readonly ActivationCode[]): ActivationCode[] {
  const newest = codes.slice(-maxCodes);
  const room = maxCodes - newest.length;
  const kept = replaced.slice(Math.max(0, replaced.length - room));
  return [...kept.map((code) => ({ ...code, isByKeyOnly: true })), ...newest];
}

/**
 * Whether a code was sent to this spelling for this account. Another spelling of the address has no pending code,
 * because a code only proves the mailbox that it was sent to; spellings that differ only in case mean the same mailbox.
 */
const isFor = (code: ActivationCode, owner: Owner, { kind, value }: ContactIdentity) =>
  code.userId === owner?.userId && code[kind]?.toLowerCase() === value.toLowerCase();

/** An account waits for only one spelling. */
const isReplacedFor = (code: ActivationCode, owner: Owner, identity: ContactIdentity) =>
  owner === undefined ? isFor(code, owner, identity) : code.userId === owner.userId;

/** An active account cannot log in by an address that it has yet to confirm, so its code gets no password hash. */
const newCode = (
  owner: Owner,
  { kind, value }: ContactIdentity,
  { settings, now }: { settings: Settings; now: number },
): ActivationCode => ({
  nonce: newNonce(),
  requestedAt: now,
  expiresAt: toSeconds(now) + settings.setActivationTimeout,
  [kind]: value,
  userId: owner?.userId,
  passwordHash: owner === undefined || isActivated(owner) ? undefined : owner.passwordHash,
});

/** The message that carries a code: an activation message, which names the account, or a verification. */
function toMessage(
  key: string,
  activation: ActivationCode,
  { owner, isContested, locale }: { owner: Owner; isContested: boolean; locale?: string },
): MailMessage {
  const { email = "", phone, requestedAt } = activation;
  const code = referenceTo(key, activation);
  if (phone !== undefined) return { template: "activation-sms", to: phone, locale, name: owner?.name, code };
  if (owner === undefined) return { template: "verification", to: email, locale, code };
  const common = { to: email, locale, key: linkKey(key, activation), code };
  const account = {
    name: owner.name,
    isActivated: isActivated(owner),
    requestedAt: new Date(requestedAt).toISOString(),
    isContested,
  };
  return owner.foundedTeam === undefined
    ? { template: "activation", ...common, account }
    : { template: "team-activation", ...common, account: { ...account, team: owner.foundedTeam } };
}
