import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { VerificationCodes } from "#shared/auth/verification-code.ts";
import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { mailMessageSchema } from "#shared/mail/message.ts";
import { outboxKey } from "#shared/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/messaging/outbox-worker.ts";
import { queues } from "#shared/messaging/queues.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";
import { createDeliver, isFinal } from "./deliver.ts";
import { renderMessage } from "./render/render-message.ts";

/** A lease ends before SQS hands the message out again. */
const leaseSeconds = queues.mail.visibilityTimeoutSeconds - 10;

/**
 * Sends the e-mails and SMS of the outbox. A message is leased, sent, then removed: of several copies in the queue one
 * is sent. Only a worker that dies after the provider took the message and before the removal sends it twice.
 */
export function createApp(config: Config, overrides?: Overrides) {
  const { clock, log, secrets, settings } = createRuntime("mail-delivery", config, overrides);
  const outbox = new OutboxWorker(createDocumentClient(), config, clock);
  const codes = new VerificationCodes(secrets);
  const deliver = createDeliver(settings);

  async function handle(body: string): Promise<void> {
    const item = await outbox.lease(outboxKey.parse(JSON.parse(body)), leaseSeconds);
    if (item === undefined) return;
    try {
      const message = mailMessageSchema.parse(item.payload);
      if (message.template !== "undelivered") {
        const code = await codes.derive(message.code);
        await deliver(renderMessage(message, { code, settings, publicUrl: config.publicUrl }));
      }
    } catch (error) {
      if (!isFinal(error)) {
        await outbox.release(item);
        throw error;
      }
      // The name only: providers quote the recipient in their messages.
      log.error("mail-refused", { messageId: item.messageId, reason: (error as Error).name });
    }
    await outbox.complete(item);
  }

  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const results = await Promise.allSettled(Records.map(({ body }) => handle(body)));
    const failed = Records.filter((record, index) => {
      const result = results[index];
      if (result?.status !== "rejected") return false;
      log.error("mail-failed", { sqsMessageId: record.messageId, error: result.reason as Error });
      return true;
    });
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}
