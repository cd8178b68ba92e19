import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import type { Log } from "#shared/platform/log.ts";
import { type Account, isExpired } from "./account.ts";

/** Message of the queue `erasures`, in addition to outbox keys: an expired account. */
export const expiredAccount = z.object({ expiredUserId: z.uuid() });

/** Requests the deletion of anonymous or invited accounts that are read after they have expired. */
export class ExpiredAccounts {
  readonly #queueUrl: string;
  readonly #sqs = new SQSClient(awsClientOptions());
  readonly #clock: Clock;
  readonly #log: Log;

  constructor({ config, clock, log }: { config: Pick<Config, "queueUrl">; clock: Clock; log: Log }) {
    this.#queueUrl = config.queueUrl("erasures");
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Request the deletion of those accounts that have expired and are not deleted yet; ignores all others. After a
   * failure, the next read reports them again.
   */
  async report(accounts: readonly Account[]): Promise<void> {
    const now = this.#clock();
    const expired = accounts.filter((account) => isExpired(account, now));
    await Promise.all(expired.map(({ userId }) => this.#send({ expiredUserId: userId })));
  }

  async #send(message: z.input<typeof expiredAccount>): Promise<void> {
    try {
      await this.#sqs.send(
        new SendMessageCommand({ QueueUrl: this.#queueUrl, MessageBody: JSON.stringify(message) }),
      );
    } catch (error) {
      this.#log.warn("expiry-report-failed", { ...message, error: error as Error });
    }
  }
}
