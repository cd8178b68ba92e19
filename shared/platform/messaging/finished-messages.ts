import { DeleteMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { QueueName } from "../product.ts";

/** How long finished messages are collected, and how long a run must take before calls are made for them. */
const gatherMilliseconds = 100;

interface Context {
  readonly config: Pick<Config, "queueUrl">;
  readonly log: Log;
  readonly sqs: SQSClient;
}

/**
 * Deletes messages of a batch while others of it are still being handled. Otherwise, later messages of their groups
 * would wait for the slowest message of the batch. Never fails: messages that are not deleted here are deleted with the
 * batch.
 */
export class FinishedMessages {
  readonly #sqs: SQSClient;
  readonly #queueUrl: string;
  readonly #log: Log;
  readonly #all = new Set<SQSRecord>();
  #waiting: SQSRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #deletion = Promise.resolve();

  constructor(queue: QueueName, { config, log, sqs }: Context) {
    this.#sqs = sqs;
    this.#queueUrl = config.queueUrl(queue);
    this.#log = log;
  }

  has(record: SQSRecord): boolean {
    return this.#all.has(record);
  }

  add(records: readonly SQSRecord[]): void {
    if (records.length === 0) return;
    for (const record of records) this.#all.add(record);
    this.#waiting.push(...records);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#deletion = this.#deletion.then(() => this.#deleteWaiting());
    }, gatherMilliseconds);
  }

  /** The run has ended: its caller deletes the rest. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#deletion;
  }

  async #deleteWaiting(): Promise<void> {
    const records = this.#waiting;
    this.#waiting = [];
    try {
      const Entries = records.map(({ receiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
      }));
      await this.#sqs.send(new DeleteMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries }));
    } catch (error) {
      const [first] = records;
      this.#log.warn("messages-not-deleted", { sqsMessageId: first?.messageId, error: error as Error });
    }
  }
}
