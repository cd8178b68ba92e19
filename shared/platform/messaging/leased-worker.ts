import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { QueueName } from "../product.ts";
import { onBehalfOf } from "../request-id.ts";
import { asSampled, noteHandled } from "../usage/measured-work.ts";
import { type About, handleEach } from "./handle-each.ts";
import { keepRenewing, leaseSeconds, MessageVisibility, marginSeconds } from "./message-visibility.ts";
import { type OutboxItem, type OutboxKey, outboxKey } from "./outbox-item.ts";
import type { OutboxWorker } from "./outbox-worker.ts";

/** Pause after the first failure; it doubles with each further one. */
const firstPauseSeconds = 10;

interface Options {
  /** The queue that triggers the worker. */
  readonly queue: QueueName;
  readonly config: Pick<Config, "queueUrl">;
  readonly log: Log;
  readonly leaseSeconds?: number;
  /**
   * Whether handling a message twice, even concurrently, does no harm. Then only repeated messages are leased, to count
   * their deliveries, and the messages of a run share their calls.
   */
  readonly isIdempotent?: boolean;
  /** Handles what the queue carries besides keys of the outbox. @returns false for anything else */
  readonly handleDirect?: (content: unknown) => Promise<boolean>;
}

/**
 * Creates a queue worker that leases each message in the outbox, so that of several copies in the queue only one is
 * handled. It leases item and message for a short time only, and renews both leases until it has finished: when it dies,
 * another worker soon gets the message. After a failure the lease ends, and the queue delivers the message again.
 */
export function createLeasedWorker(
  outbox: OutboxWorker,
  handle: (item: OutboxItem) => Promise<void>,
  { queue, config, log, handleDirect, isIdempotent = false, ...options }: Options,
): (event: SQSEvent) => Promise<SQSBatchResponse> {
  const visibility = new MessageVisibility(queue, { config, log });
  const visibleAfterSeconds = options.leaseSeconds ?? leaseSeconds;
  const leasedForSeconds = visibleAfterSeconds - marginSeconds;

  async function take(record: SQSRecord, hidden: Promise<void>, about: About): Promise<void> {
    const content: unknown = JSON.parse(record.body);
    if (await handleDirect?.(content)) return;
    const key = outboxKey.parse(content);
    const isRepeated = record.attributes.ApproximateReceiveCount !== "1";
    const item = await (isIdempotent && !isRepeated ? outbox.read(key) : outbox.lease(key, leasedForSeconds));
    if (item === undefined) return;
    about.requestId = item.requestId;
    const release = keepLeased(record, item, hidden);
    try {
      await onBehalfOf(item.requestId, () => asSampled(item.sample, () => handle(item)));
    } catch (error) {
      await release();
      const pauseSeconds = firstPauseSeconds * 2 ** (Number(record.attributes.ApproximateReceiveCount) - 1);
      await Promise.all([outbox.release(item, error), visibility.set(record, pauseSeconds)]);
      throw error;
    }
    await release();
    await outbox.complete(item);
    noteHandled(item.sample);
  }

  /** @returns a function that stops the renewal, and waits for one under way */
  function keepLeased(record: SQSRecord, item: OutboxKey, hidden: Promise<void>): () => Promise<void> {
    const release = keepRenewing(async () => {
      try {
        await outbox.renew(item, leasedForSeconds);
      } catch (error) {
        log.warn("lease-not-renewed", { sqsMessageId: record.messageId, error: error as Error });
      }
      await visibility.set(record, visibleAfterSeconds);
    }, visibleAfterSeconds);
    return async () => {
      await Promise.all([hidden, release()]);
    };
  }

  return (event) => {
    const hidden = visibility.setAll(
      event.Records.map((record) => ({ record, seconds: visibleAfterSeconds })),
    );
    return handleEach(event, (record, about) => take(record, hidden, about), { queue, log });
  };
}
