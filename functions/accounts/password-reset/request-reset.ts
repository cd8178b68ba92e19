import type { Claim } from "#shared/accounts/account.ts";
import { type ContactIdentity, contactIdentity } from "#shared/accounts/identity.ts";
import { chargeSms } from "#shared/accounts/sms-allowance.ts";
import { type Code, isLive, isLiveByKey, linkKey } from "#shared/codes/code.ts";
import { hashedKey } from "#shared/codes/code-store.ts";
import { issueCode } from "#shared/codes/issue-code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import type { Deps } from "./deps.ts";

/** Bounds the item where deliveries are not limited; by default, fewer codes can be sent before the first expires. */
const maxEarlier = 20;

/**
 * Send a reset code, unless one is pending. An address without an account takes the same steps up to a message that is
 * never delivered, so that neither the response nor its timing reveals which accounts exist. A request for one address
 * does not affect the responses for another address of the same account.
 *
 * @throws ApiError `code-exists` while a reset is pending and `revealsPending`; `too-many-requests`; `invalid-email`,
 *   `invalid-phone`
 * @see operation `post-password-reset`
 */
export async function requestReset(
  deps: Deps,
  command: { email?: string; phone?: string; revealsPending: boolean },
  sourceIp: string,
): Promise<void> {
  const { codes } = deps;
  const network = networkOf(sourceIp);
  const target = await resetTarget(deps, command);
  await chargeSms(deps, target.identity, { sourceIp });
  await change(deps, async () => {
    const now = toSeconds(deps.clock());
    const previous = await codes.get("password-reset", target.key);
    const isPending = previous && isLive(previous, now, network) && isLiveByKey(previous, now);
    if (!isPending) return startReset(deps, target, previous, network);
    if (!previous.askedBy?.includes(target.requester)) return noteRequester(deps, previous, target.requester);
    if (!command.revealsPending) return undefined;
    throw new ApiError("code-exists", { retryAfterSeconds: previous.expiresAt - now });
  });
}

async function startReset(
  { accounts, clock, codes, outbox, settings }: Deps,
  { key, requester, identity, claim }: ResetTarget,
  previous: Code | undefined,
  network: string,
): Promise<Change | undefined> {
  const code = replacement();
  if (code === undefined) return undefined;
  const account = await accounts.get(claim?.userId ?? "nobody");
  return { writes: [codes.put(code, previous)], messages: [outbox.message("mail", toMessage())] };

  /** Only a repeated request from the same address may learn that there were too many. */
  function replacement(): Code | undefined {
    const lifetimeSeconds = settings.setPasswordResetTimeout;
    const now = clock();
    const content = { purpose: "password-reset", key, userId: claim?.userId } as const;
    const earlier = earlierNonces(previous, toSeconds(now));
    const hasLinkKey = identity.kind === "email";
    try {
      return issueCode({ ...content, askedBy: [requester], earlier }, previous, {
        lifetimeSeconds,
        settings,
        now,
        network,
        hasLinkKey,
      });
    } catch (error) {
      if (previous?.askedBy?.includes(requester)) throw error;
      return undefined;
    }
  }

  function toMessage(): MailMessage {
    const reference = { purpose: "password-reset", codeKey: key, nonce: code?.nonce ?? "" } as const;
    const locale = account?.locale;
    if (claim === undefined) return { template: "undelivered" };
    if (identity.kind === "phone")
      return { template: "password-reset-sms", to: identity.value, locale, code: reference };
    const to = account?.email ?? identity.value;
    return { template: "password-reset", to, locale, key: linkKey(key, reference), code: reference };
  }
}

/**
 * Nonces of previous codes and when they expire, so that a stranger's request does not invalidate a mail with one of
 * them.
 */
function earlierNonces(previous: Code | undefined, now: number): Record<string, number> {
  if (previous === undefined) return {};
  const { earlier, expiresAt, nonce } = previous;
  const valid = Object.entries({ ...earlier, [nonce]: expiresAt }).filter(([, until]) => until > now);
  return Object.fromEntries(valid.toSorted(([, one], [, other]) => one - other).slice(-maxEarlier));
}

/** To a first requester, a reset that was started from another address looks like their own. */
function noteRequester({ codes }: Deps, pending: Code, requester: string): Change {
  const askedBy = [...(pending.askedBy ?? []), requester];
  return { writes: [codes.put({ ...pending, askedBy }, pending)], messages: [] };
}

/** Key under which the reset of an address is stored, and the account to which it belongs. */
interface ResetTarget {
  readonly key: string;
  readonly identity: ContactIdentity;
  /** The identity as text, by which requests for the same reset are told apart. */
  readonly requester: string;
  /** Absent when no account may be reset by this identity. */
  readonly claim: Claim | undefined;
}

/**
 * Find out where the reset of an address is stored: under its account if that may be reset, otherwise under a decoy, so
 * that callers cannot tell the two apart.
 *
 * @throws ApiError `invalid-email`, `invalid-phone`
 */
export async function resetTarget(
  { accounts, settings }: Pick<Deps, "accounts" | "settings">,
  address: { email?: string; phone?: string },
): Promise<ResetTarget> {
  const identity = contactIdentity(address, settings);
  const requester = `${identity.kind}#${identity.key}`;
  const claim = await accounts.findClaim(identity);
  return claim?.status === "active"
    ? { key: hashedKey(claim.userId), identity, requester, claim }
    : { key: hashedKey(`decoy#${requester}`), identity, requester, claim: undefined };
}
