import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { Log } from "../log.ts";
import { type OutboxItem, outboxKey } from "./outbox-item.ts";
import type { OutboxWorker } from "./outbox-worker.ts";

/**
 * A queue worker that takes messages of the outbox in hand one by one: of several copies in the queue one is handled.
 * After a failure the message is given back, and the queue hands it out again.
 *
 * @param options.leaseSeconds how long handling takes at most; shorter than the queue's visibility timeout
 */
export function createLeasedWorker(
  outbox: OutboxWorker,
  handle: (item: OutboxItem) => Promise<void>,
  { leaseSeconds, log }: { leaseSeconds: number; log: Log },
): (event: SQSEvent) => Promise<SQSBatchResponse> {
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
