import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { toAsciiAddress } from "#shared/platform/email-address.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { RenderedEmail, RenderedSms } from "./render/render-message.ts";

export type Deliver = (message: RenderedEmail | RenderedSms) => Promise<void>;

/** Send emails through SES and SMS through SNS. */
export function createDeliver({ smsSender }: Pick<Settings, "smsSender">): Deliver {
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

export const isFinal = (error: unknown): boolean =>
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

export const isRefusalOfSender = (error: unknown): boolean =>
  error instanceof Error && refusalsOfSender.has(error.name);
