import { type DeliverableMessage, mailMessageSchema } from "#shared/codes/mail/message.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { createDeliver, isFinal, isRefusalOfSender } from "./deliver.ts";
import type { Deps } from "./deps.ts";
import { addressOf, renderMessage } from "./render/render-message.ts";

/**
 * Send the emails and SMS of the outbox. A message is leased, sent, then removed, so that only one of several copies
 * in the queue is sent. It is sent twice only if a worker dies after the provider accepted it and before the removal.
 */
export function createHandler(deps: Deps) {
  const { config, log, outbox, settings, suppressions } = deps;
  const deliver = createDeliver(settings);

  async function handle({ messageId, payload }: OutboxItem): Promise<void> {
    const message = mailMessageSchema.parse(payload);
    if (message.template === "undelivered") return;
    const address = addressOf(message);
    const [code, isSuppressed] = await Promise.all([
      deriveCode(deps, message),
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
      // Only the name, because providers quote the recipient in their messages.
      log.error("mail-refused", { messageId, reason: (error as Error).name });
    }
  }

  return createLeasedWorker(outbox, handle, { queue: "mail", config, log });
}

/** The code that a message carries; empty if it has none. */
async function deriveCode({ codes, invitationCodes }: Deps, message: DeliverableMessage): Promise<string> {
  if ("code" in message) return codes.derive(message.code);
  if (!("invitationId" in message)) return "";
  return invitationCodes.derive({ teamId: message.team.teamId, invitationId: message.invitationId });
}
