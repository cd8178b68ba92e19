import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { Deps } from "./deps.ts";
import { feedbackEvent, suppressionsOf } from "./feedback.ts";

/** Suppress the addresses in bounces and complaints, which SES sends by way of EventBridge. */
export function createHandler({ log, suppressions }: Deps) {
  async function handle(body: string): Promise<void> {
    const { detail } = feedbackEvent.parse(JSON.parse(body));
    for (const suppression of suppressionsOf(detail)) {
      await suppressions.suppress(suppression);
      log.warn("mail-address-suppressed", { reason: suppression.reason });
    }
  }

  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const results = await Promise.allSettled(Records.map(({ body }) => handle(body)));
    const failed = Records.filter(({ messageId }, index) => {
      const result = results[index];
      if (result?.status !== "rejected") return false;
      log.error("message-failed", { sqsMessageId: messageId, error: result.reason as Error });
      return true;
    });
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}
