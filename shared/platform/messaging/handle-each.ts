import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Log } from "../log.ts";
import { emitMetric } from "../metrics.ts";
import type { QueueName } from "../product.ts";

/** Further data about a message. */
export interface About {
  requestId?: string | undefined;
}

/**
 * Handle the messages of a batch concurrently. Those that fail are logged and counted, and delivered again without the
 * others.
 *
 * @param handle may add fields for the log line of a failure to its second argument
 */
export async function handleEach(
  { Records }: SQSEvent,
  handle: (record: SQSRecord, about: About) => Promise<void>,
  { queue, log }: { queue: QueueName; log: Log },
): Promise<SQSBatchResponse> {
  const abouts = Records.map((): About => ({}));
  const results = await Promise.allSettled(
    Records.map((record, index) => handle(record, abouts[index] ?? {})),
  );
  const failed = Records.filter(({ messageId }, index) => {
    const result = results[index];
    if (result?.status !== "rejected") return false;
    log.error("message-failed", { sqsMessageId: messageId, ...abouts[index], error: result.reason as Error });
    return true;
  });
  countFailedItems(queue, failed.length, log);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/**
 * Count messages that a worker returns to its queue: its runs end without an error, so no other metric shows them.
 * Nothing is written when none failed.
 */
export function countFailedItems(queue: QueueName, count: number, log: Log): void {
  if (count > 0) emitMetric("FailedItems", { value: count, unit: "Count", queue, log });
}
