import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Clock } from "../clock.ts";
import type { Account } from "../data/account/account.ts";
import type { AccountStore } from "../data/account/account-store.ts";
import type { Code } from "../data/code/code.ts";
import type { CodeStore } from "../data/code/code-store.ts";
import { issueCode } from "../data/code/issue-code.ts";
import { retryStale } from "../data/conditions.ts";
import type { BucketLimits } from "../data/token-bucket.ts";
import type { MailMessage } from "../mail/message.ts";
import { commitWithMessages } from "../messaging/commit-with-messages.ts";
import type { Outbox } from "../messaging/outbox.ts";
import type { Settings } from "../settings.ts";

interface Deps {
  readonly accounts: AccountStore;
  readonly client: DynamoDBDocumentClient;
  readonly clock: Clock;
  readonly codes: CodeStore;
  readonly outbox: Outbox;
  readonly settings: Settings;
}

/**
 * Mail a new code in place of the last one. Without a user it is a decoy, which goes the same way up to a message that
 * is never delivered.
 *
 * @throws ApiError `too-many-requests` within `set2FACodeGenerationDelaySecs` of the last code
 */
export async function mailSecondFactorCode(
  { accounts, client, clock, codes, outbox, settings }: Deps,
  { key, userId }: { key: string; userId: string | undefined },
): Promise<void> {
  await retryStale(async () => {
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
    const message = outbox.stage("mail", toMessage(code, account));
    await commitWithMessages(client, [codes.put(code, previous)], [message]);
  });
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
