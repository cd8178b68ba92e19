import {
  isSecondFactorRequired,
  type SecondFactorAction,
  secondFactorKey,
} from "#shared/auth/second-factor.ts";
import type { Account } from "#shared/data/account/account.ts";
import { emailIdentity } from "#shared/data/account/identity.ts";
import type { Code } from "#shared/data/code/code.ts";
import { hashedKey } from "#shared/data/code/code-store.ts";
import { issueCode } from "#shared/data/code/issue-code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { networkBucket } from "#shared/data/rate-limit/rate-limiter.ts";
import type { BucketLimits } from "#shared/data/token-bucket.ts";
import type { MailMessage } from "#shared/mail/message.ts";
import type { Settings } from "#shared/settings.ts";
import type { Deps } from "./deps.ts";

/**
 * Mail a new code in place of the last one, where a second factor is required. An address without an active account
 * goes the same way up to a message that is never delivered: neither answers nor their time tell which accounts exist.
 *
 * @throws ApiError `invalid-email`; `too-many-requests` within `set2FACodeGenerationDelaySecs` of the last code
 * @see operation `send-verification-code`
 */
export async function sendCode(
  deps: Deps,
  { action, email }: { action: SecondFactorAction; email: string },
  sourceIp: string,
): Promise<void> {
  const { accounts, client, clock, codes, outbox, rateLimiter, settings } = deps;
  const identity = emailIdentity(email, settings);
  if (!isSecondFactorRequired(settings)) return;
  await rateLimiter.take(networkBucket("codes", sourceIp), settings.setCodeDeliveryRateLimitPerIp);
  const claim = await accounts.findClaim(identity);
  const userId = claim?.status === "active" ? claim.userId : undefined;
  const key = secondFactorKey(userId ?? hashedKey(`decoy#${identity.key}`), action);

  const message = await retryStale(async () => {
    const [previous, account] = await Promise.all([
      codes.get("second-factor", key),
      accounts.get(userId ?? "nobody"),
    ]);
    const code = issueCode({ purpose: "second-factor", key, userId, email: account?.email }, previous, {
      lifetimeSeconds: settings.setVerificationTimeout,
      settings,
      now: clock(),
      deliveryLimits: generationLimits(settings),
    });
    const staged = outbox.stage("mail", toMessage(code, account));
    await transact(client, [codes.put(code, previous), staged.write]);
    return staged;
  });
  await message.send();
}

/** One code per delay; without a delay, as many as of any other code. */
const generationLimits = ({
  set2FACodeGenerationDelaySecs: delaySeconds,
  setCodeDeliveryRateLimit,
}: Settings): BucketLimits =>
  delaySeconds === 0 ? setCodeDeliveryRateLimit : { burst: 1, refillSeconds: delaySeconds };

/** To the account's own spelling of its address; to nobody when the code is a decoy. */
const toMessage = ({ key, nonce, email }: Code, account: Account | undefined): MailMessage =>
  email === undefined
    ? { template: "undelivered" }
    : {
        template: "second-factor",
        to: email,
        locale: account?.locale,
        code: { purpose: "second-factor", codeKey: key, nonce },
      };
