import { toSeconds } from "#shared/clock.ts";
import { type Code, isLive } from "#shared/data/code/code.ts";
import { issueCode } from "#shared/data/code/issue-code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { networkBucket } from "#shared/data/rate-limit/rate-limiter.ts";
import { ApiError } from "#shared/errors.ts";
import type { MailMessage } from "#shared/mail/message.ts";
import type { StagedMessage } from "#shared/messaging/outbox.ts";
import type { Deps } from "./deps.ts";
import { type ResetTarget, resetTarget } from "./reset-target.ts";

/**
 * Send a reset code, unless one is pending. An address without an account goes the same way up to a message that is
 * never delivered, so neither the answer nor its time tells which accounts exist; and what was asked for one address
 * does not show at another one of the same account.
 *
 * @throws ApiError `code-exists` while a reset is pending and `tellsPending`; `too-many-requests`; `invalid-email`,
 *   `invalid-phone`
 * @see operation `post-password-reset`
 */
export async function requestReset(
  deps: Deps,
  command: { email?: string; phone?: string; tellsPending: boolean },
  sourceIp: string,
): Promise<void> {
  const { codes, rateLimiter, settings } = deps;
  await rateLimiter.take(networkBucket("codes", sourceIp), settings.setCodeDeliveryRateLimitPerIp);
  const target = await resetTarget(deps, command);
  const message = await retryStale(async () => {
    const now = toSeconds(deps.clock());
    const previous = await codes.get("password-reset", target.key);
    if (previous === undefined || !isLive(previous, now)) return startReset(deps, target, previous);
    if (!previous.askedBy?.includes(target.asker)) return noteAsker(deps, previous, target.asker);
    if (!command.tellsPending) return undefined;
    throw new ApiError("code-exists", { retryAfterSeconds: previous.expiresAt - now });
  });
  await message?.send();
}

async function startReset(
  { accounts, client, clock, codes, outbox, settings }: Deps,
  { key, asker, identity, claim }: ResetTarget,
  previous: Code | undefined,
): Promise<StagedMessage | undefined> {
  const code = replacement();
  if (code === undefined) return undefined;
  const account = await accounts.get(claim?.userId ?? "nobody");
  const staged = outbox.stage("mail", toMessage());
  await transact(client, [codes.put(code, previous), staged.write]);
  return staged;

  /** Only who asked before may learn that it was too often. */
  function replacement(): Code | undefined {
    const lifetimeSeconds = settings.setPasswordResetTimeout;
    const content = { purpose: "password-reset", key, userId: claim?.userId, askedBy: [asker] } as const;
    try {
      return issueCode({ ...content, askedBy: [asker] }, previous, {
        lifetimeSeconds,
        settings,
        now: clock(),
      });
    } catch (error) {
      if (previous?.askedBy?.includes(asker)) throw error;
      return undefined;
    }
  }

  function toMessage(): MailMessage {
    const reference = { purpose: "password-reset", codeKey: key, nonce: code?.nonce ?? "" } as const;
    const locale = account?.locale;
    if (claim === undefined) return { template: "undelivered" };
    if (identity.kind === "phone")
      return { template: "password-reset-sms", to: identity.value, locale, code: reference };
    return { template: "password-reset", to: account?.email ?? identity.value, locale, key, code: reference };
  }
}

/** To who asks for the first time, a reset that somebody else started looks like one of their own. */
async function noteAsker({ client, codes }: Deps, pending: Code, asker: string): Promise<undefined> {
  const askedBy = [...(pending.askedBy ?? []), asker];
  await transact(client, [codes.put({ ...pending, askedBy }, pending)]);
}
