import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Log } from "../log.ts";

/** Handle the messages of a batch concurrently. Those that fail are logged, and delivered again without the others. */
export async function handleEach(
  { Records }: SQSEvent,
  handle: (record: SQSRecord) => Promise<void>,
  { log }: { log: Log },
): Promise<SQSBatchResponse> {
  const results = await Promise.allSettled(Records.map(handle));
  const failed = Records.filter(({ messageId }, index) => {
    const result = results[index];
    if (result?.status !== "rejected") return false;
    log.error("message-failed", { sqsMessageId: messageId, error: result.reason as Error });
    return true;
  });
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
