import { VerificationCodes } from "#shared/auth/verification-code.ts";
import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { mailMessageSchema } from "#shared/mail/message.ts";
import { createLeasedWorker } from "#shared/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/messaging/outbox-worker.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";
import { createDeliver, isFinal } from "./deliver.ts";
import { renderMessage } from "./render/render-message.ts";

/**
 * Sends the e-mails and SMS of the outbox. A message is leased, sent, then removed: of several copies in the queue one
 * is sent. Only a worker that dies after the provider took the message and before the removal sends it twice.
 */
export function createApp(config: Config, overrides?: Overrides) {
  const { clock, log, secrets, settings } = createRuntime("mail-delivery", config, overrides);
  const outbox = new OutboxWorker(createDocumentClient(), config, clock);
  const codes = new VerificationCodes(secrets);
  const deliver = createDeliver(settings);

  async function handle({ messageId, payload }: OutboxItem): Promise<void> {
    const message = mailMessageSchema.parse(payload);
    if (message.template === "undelivered") return;
    const code = "code" in message ? await codes.derive(message.code) : "";
    try {
      await deliver(renderMessage(message, { code, settings, publicUrl: config.publicUrl }));
    } catch (error) {
      if (!isFinal(error)) throw error;
      // The name only: providers quote the recipient in their messages.
      log.error("mail-refused", { messageId, reason: (error as Error).name });
    }
  }

  return createLeasedWorker(outbox, handle, { queue: "mail", log });
}
