import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { type DeliverableMessage, mailMessageSchema } from "#shared/codes/mail/message.ts";
import { SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { toAsciiAddress } from "#shared/platform/email-address.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { InvitationCodes } from "#shared/teams/invitation-code.ts";
import { addressOf, type RenderedEmail, type RenderedSms, renderMessage } from "./render/render-message.ts";

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

type Deliver = (message: RenderedEmail | RenderedSms) => Promise<void>;

/** Send emails through SES and SMS through SNS. */
function createDeliver({ smsSender }: Pick<Settings, "smsSender">): Deliver {
  const ses = new SESv2Client(awsClientOptions());
  const sns = new SNSClient(awsClientOptions());
  return async (message) => {
    if (message.kind === "email") await ses.send(toSendEmail(message));
    else await sns.send(toPublish(message, smsSender));
  };
}

function toSendEmail({ to, from, subject, text, html, headers }: RenderedEmail): SendEmailCommand {
  const part = (data: string) => ({ Data: data, Charset: "UTF-8" });
  return new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [toAsciiAddress(to)] },
    Content: {
      Simple: {
        Subject: part(subject),
        Body: { Text: part(text), ...(html !== undefined && { Html: part(html) }) },
        Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
      },
    },
  });
}

function toPublish({ to, text }: RenderedSms, sender: string): PublishCommand {
  return new PublishCommand({
    PhoneNumber: to,
    Message: text,
    MessageAttributes: {
      "AWS.SNS.SMS.SMSType": { DataType: "String", StringValue: "Transactional" },
      "AWS.SNS.SMS.SenderID": { DataType: "String", StringValue: sender },
    },
  });
}

/** Permanent errors: the provider refuses this message or this recipient. */
const finalErrors = new Set(["BadRequestException", "InvalidParameter", "InvalidParameterException"]);

const isFinal = (error: unknown): boolean =>
  error instanceof Error && (finalErrors.has(error.name) || error.name === "UnsafeHeaderError");

/**
 * Errors with which SES refuses all mails of a sender until the operator acts: the address is not verified, the account
 * is still in the sandbox, or sending is suspended.
 */
const refusalsOfSender = new Set([
  "MessageRejected",
  "MailFromDomainNotVerifiedException",
  "AccountSuspendedException",
  "SendingPausedException",
]);

const isRefusalOfSender = (error: unknown): boolean =>
  error instanceof Error && refusalsOfSender.has(error.name);

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  secrets: SecretReader,
  outbox: OutboxWorker,
  codes: VerificationCodes,
  invitationCodes: InvitationCodes,
  suppressions: SuppressionStore,
});
