import { mailMessageSchema } from "#shared/mail/message.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { createDeliver, isFinal, isRefusalOfSender } from "./deliver.ts";
import type { Deps } from "./deps.ts";
import { addressOf, renderMessage } from "./render/render-message.ts";

/**
 * Send the e-mails and SMS of the outbox. A message is leased, sent, then removed, so that only one of several copies
 * in the queue is sent. It is sent twice only if a worker dies after the provider accepted it and before the removal.
 */
export function createHandler({ codes, config, log, outbox, settings, suppressions }: Deps) {
  const deliver = createDeliver(settings);

  async function handle({ messageId, payload }: OutboxItem): Promise<void> {
    const message = mailMessageSchema.parse(payload);
    if (message.template === "undelivered") return;
    const address = addressOf(message);
    const [code, isSuppressed] = await Promise.all([
      "code" in message ? codes.derive(message.code) : "",
      address !== undefined && suppressions.isSuppressed(address),
    ]);
    if (isSuppressed) {
      log.warn("mail-suppressed", { messageId });
      return;
    }
    try {
      await deliver(renderMessage(message, { code, settings, publicUrl: config.publicUrl }));
    } catch (error) {
      if (isRefusalOfSender(error))
        emitMetric("RefusedMails", { value: 1, unit: "Count", queue: "mail", log });
      if (!isFinal(error)) throw error;
      // The name only: providers quote the recipient in their messages.
      log.error("mail-refused", { messageId, reason: (error as Error).name });
    }
  }

  return createLeasedWorker(outbox, handle, { queue: "mail", config, log });
}
