import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { type Account, isExpired } from "../data/account/account.ts";
import type { Log } from "../log.ts";

/** What the queue `erasures` carries beside keys of the outbox: an anonymous account that is past its end. */
export const expiredAccount = z.object({ expiredUserId: z.uuid() });

/** Has anonymous accounts deleted when somebody comes upon them after their end. */
export class ExpiredAccounts {
  readonly #queueUrl: string;
  readonly #sqs = new SQSClient();
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(config: Config, clock: Clock, log: Log) {
    this.#queueUrl = config.queueUrl("erasures");
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Ask for the deletion of those that have expired and not been deleted yet; the others may be anybody. A failure
   * here is left to the next one who looks.
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
