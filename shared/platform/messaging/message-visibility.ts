import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import { awsClientOptions } from "../aws-client-options.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { QueueName } from "../product.ts";

/** A message, and when SQS delivers it again. */
export interface Pause {
  readonly record: SQSRecord;
  readonly seconds: number;
}

/**
 * Sets when SQS redelivers messages that their worker neither finishes nor returns. Never fails: the default of the
 * queue remains.
 */
export class MessageVisibility {
  readonly #sqs = new SQSClient(awsClientOptions());
  readonly #queueUrl: string;
  readonly #log: Log;

  constructor(queue: QueueName, { config, log }: { config: Pick<Config, "queueUrl">; log: Log }) {
    this.#queueUrl = config.queueUrl(queue);
    this.#log = log;
  }

  async set({ messageId, receiptHandle }: SQSRecord, seconds: number): Promise<void> {
    try {
      await this.#sqs.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: this.#queueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      );
    } catch (error) {
      this.#log.warn("visibility-not-set", { sqsMessageId: messageId, error: error as Error });
    }
  }

  /** Sets it for the messages of one run, at most ten. */
  async setAll(pauses: readonly Pause[]): Promise<void> {
    if (pauses.length === 0) return;
    try {
      const { Failed = [] } = await this.#sqs.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: this.#queueUrl,
          Entries: pauses.map(({ record, seconds }, index) => ({
            Id: String(index),
            ReceiptHandle: record.receiptHandle,
            VisibilityTimeout: seconds,
          })),
        }),
      );
      for (const { Id, Code } of Failed) {
        this.#log.warn("visibility-not-set", {
          sqsMessageId: pauses[Number(Id)]?.record.messageId,
          code: Code,
        });
      }
    } catch (error) {
      this.#log.warn("visibility-not-set", {
        sqsMessageId: pauses[0]?.record.messageId,
        error: error as Error,
      });
    }
  }
}

/** How long a message stays with a dead worker; a live one renews its lease in time. */
export const leaseSeconds = 10;
/** A lease in the outbox ends before SQS delivers the message again; otherwise, the delivery would find it leased and be dropped. */
export const marginSeconds = 2;

/**
 * Renew what a worker has leased, repeatedly and so early that one late renewal does no harm.
 * @param renew never fails
 * @returns a function that stops it, and waits for a renewal under way
 */
export function keepRenewing(renew: () => Promise<void>, seconds: number): () => Promise<void> {
  let renewal = Promise.resolve();
  const timer = setInterval(
    () => {
      renewal = renewal.then(renew);
    },
    (seconds - marginSeconds) * 300,
  );
  return async () => {
    clearInterval(timer);
    await renewal;
  };
}
