import { DeleteMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { queues } from "#shared/registry/queues.ts";
import { awsClientOptions } from "../aws-client-options.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { QueueName, WorkerQueueName } from "../product.ts";
import { countFailedItems } from "./handle-each.ts";
import { keepRenewing, leaseSeconds, MessageVisibility, type Pause } from "./message-visibility.ts";

/** Pause for each receive of a message that failed, up to the visibility timeout of its queue. */
const pauseSeconds = 2;

type Worker = (event: SQSEvent) => Promise<SQSBatchResponse>;

/**
 * Handles a batch.
 * @param finish can be called with messages that are finished before the others, so that their groups need not wait
 */
type Run = (event: SQSEvent, finish: (records: readonly SQSRecord[]) => void) => Promise<SQSBatchResponse>;

interface Options {
  /** The queue that triggers the worker. */
  readonly queue: WorkerQueueName;
  readonly config: Pick<Config, "queueUrl">;
  readonly log: Log;
  readonly leaseSeconds?: number;
}

/**
 * Creates a queue worker that handles a batch in one run. It leases the messages of a run only for a short time, renewed
 * until the run ends: when the worker dies, another one soon gets them. A failed message is counted, and comes again after a
 * growing pause.
 */
export function createBatchWorker(run: Run, { queue, config, log, ...options }: Options): Worker {
  const visibility = new MessageVisibility(queue, { config, log });
  const sqs = new SQSClient(awsClientOptions());
  const seconds = options.leaseSeconds ?? leaseSeconds;
  const { visibilityTimeoutSeconds } = queues[queue];

  /**
   * The messages of a group wait for each other, so all of them pause for as long as the one that failed most often.
   */
  function pausesOf(failed: readonly SQSRecord[]): Pause[] {
    const receives = new Map<string, number>();
    for (const record of failed) {
      const count = Number(record.attributes.ApproximateReceiveCount);
      receives.set(groupOf(record), Math.max(count, receives.get(groupOf(record)) ?? 1));
    }
    return failed.map((record) => {
      const pause = pauseSeconds * (receives.get(groupOf(record)) ?? 1);
      return { record, seconds: Math.min(pause, visibilityTimeoutSeconds) };
    });
  }

  return async (event) => {
    const finished = new FinishedMessages(queue, { config, log, sqs });
    const lease = () => {
      const unfinished = event.Records.filter((record) => !finished.has(record));
      return visibility.setAll(unfinished.map((record) => ({ record, seconds })));
    };
    const running = run(event, (records) => finished.add(records));
    const leased = lease();
    const release = keepRenewing(lease, seconds);
    let failed: readonly SQSRecord[] = event.Records;
    try {
      const result = await running;
      const failedIds = new Set(result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      failed = event.Records.filter(({ messageId }) => failedIds.has(messageId));
      return result;
    } finally {
      countFailedItems(queue, failed.length, log);
      await Promise.all([leased, release(), finished.end()]);
      await visibility.setAll(pausesOf(failed));
    }
  };
}

const groupOf = ({ messageId, attributes }: SQSRecord) => attributes.MessageGroupId ?? messageId;

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
class FinishedMessages {
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
