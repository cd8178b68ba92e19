import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import type { Code } from "#shared/codes/code.ts";
import { issueCode } from "#shared/codes/issue-code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { ConflictError } from "#shared/platform/data/store-errors.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { type BucketLimits, RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Account } from "../account.ts";

type Deps = Pick<AccountDeps, "accounts" | "dynamo" | "clock" | "codes" | "outbox" | "settings">;

/**
 * Mail a new code, which replaces the last one. Without a user the code is a decoy; everything is the same until the
 * worker drops its message.
 *
 * @throws RateLimitedError within `set2FACodeGenerationDelaySecs` of the last code
 */
export async function mailSecondFactorCode(
  deps: Deps,
  { key, userId }: { key: string; userId: string | undefined },
): Promise<void> {
  const { accounts, clock, codes, outbox, settings } = deps;
  const deliveryLimits = generationLimits(settings);
  await change(deps, async () => {
    const [previous, account] = await Promise.all([
      codes.get("second-factor", key),
      accounts.get(userId ?? "nobody"),
    ]);
    const code = issueCode({ purpose: "second-factor", key, userId, email: account?.email }, previous, {
      lifetimeSeconds: settings.setVerificationTimeout,
      settings,
      now: clock(),
      deliveryLimits,
    });
    return {
      writes: [codes.put(code, previous)],
      messages: [outbox.message("mail", toMessage(code, account))],
    };
  }).catch((error) => {
    // The limit applies to the network that keeps requesting new codes, because it is requesting one now.
    throw error instanceof ConflictError ? new RateLimitedError(deliveryLimits.refillSeconds) : error;
  });
}

/** Allows one code per delay; without a delay, as many as for other codes. */
export const generationLimits = ({
  set2FACodeGenerationDelaySecs: delaySeconds,
  setCodeDeliveryRateLimit,
}: Settings): BucketLimits =>
  delaySeconds === 0 ? setCodeDeliveryRateLimit : { burst: 1, refillSeconds: delaySeconds };

/** Uses the account's spelling of the address; the message of a decoy reaches nobody. */
const toMessage = ({ key, nonce, email }: Code, account: Account | undefined): MailMessage =>
  email === undefined
    ? { template: "undelivered" }
    : {
        template: "second-factor",
        to: email,
        locale: account?.locale,
        code: { purpose: "second-factor", codeKey: key, nonce },
      };
