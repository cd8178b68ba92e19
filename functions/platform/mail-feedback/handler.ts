import type { SQSEvent, SQSRecord } from "aws-lambda";
import { handleEach } from "#shared/platform/messaging/handle-each.ts";
import type { Deps } from "./deps.ts";
import { feedbackEvent, suppressionsOf } from "./feedback.ts";

/** Suppress the addresses in bounces and complaints, which SES sends through EventBridge. */
export function createHandler({ log, suppressions }: Deps) {
  async function handle({ body }: SQSRecord): Promise<void> {
    const { detail } = feedbackEvent.parse(JSON.parse(body));
    for (const suppression of suppressionsOf(detail)) {
      await suppressions.suppress(suppression);
      log.warn("mail-address-suppressed", { reason: suppression.reason });
    }
  }

  return (event: SQSEvent) => handleEach(event, handle, { queue: "mail-feedback", log });
}
