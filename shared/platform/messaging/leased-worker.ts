import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import type { Log } from "../log.ts";
import { type OutboxItem, outboxKey } from "./outbox-item.ts";
import type { OutboxWorker } from "./outbox-worker.ts";

/**
 * Creates a queue worker that leases each message in the outbox, so that of several copies in the queue only one is
 * handled. After a failure the lease ends, and the queue delivers the message again.
 *
 * @param options.queue the queue that triggers the worker
 */
export function createLeasedWorker(
  outbox: OutboxWorker,
  handle: (item: OutboxItem) => Promise<void>,
  { queue, log }: { queue: QueueName; log: Log },
): (event: SQSEvent) => Promise<SQSBatchResponse> {
  // A lease ends before SQS delivers the message again.
  const leaseSeconds = queues[queue].visibilityTimeoutSeconds - 10;

  async function take(body: string): Promise<void> {
    const item = await outbox.lease(outboxKey.parse(JSON.parse(body)), leaseSeconds);
    if (item === undefined) return;
    try {
      await handle(item);
    } catch (error) {
      await outbox.release(item, error);
      throw error;
    }
    await outbox.complete(item);
  }

  return async ({ Records }) => {
    const results = await Promise.allSettled(Records.map(({ body }) => take(body)));
    const failed = Records.filter((record, index) => {
      const result = results[index];
      if (result?.status !== "rejected") return false;
      log.error("message-failed", { sqsMessageId: record.messageId, error: result.reason as Error });
      return true;
    });
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}
