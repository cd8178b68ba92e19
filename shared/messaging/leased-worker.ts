import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { Log } from "../log.ts";
import { type OutboxItem, outboxKey } from "./outbox-item.ts";
import type { OutboxWorker } from "./outbox-worker.ts";
import { type QueueName, queues } from "./queues.ts";

/**
 * A queue worker that takes messages of the outbox in hand one by one: of several copies in the queue one is handled.
 * After a failure the message is given back, and the queue hands it out again.
 *
 * @param options.queue the queue whose worker it is
 */
export function createLeasedWorker(
  outbox: OutboxWorker,
  handle: (item: OutboxItem) => Promise<void>,
  { queue, log }: { queue: QueueName; log: Log },
): (event: SQSEvent) => Promise<SQSBatchResponse> {
  // A lease ends before SQS hands the message out again.
  const leaseSeconds = queues[queue].visibilityTimeoutSeconds - 10;

  async function take(body: string): Promise<void> {
    const item = await outbox.lease(outboxKey.parse(JSON.parse(body)), leaseSeconds);
    if (item === undefined) return;
    try {
      await handle(item);
    } catch (error) {
      await outbox.release(item);
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
