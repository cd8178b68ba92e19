import { randomUUID } from "node:crypto";
import type { MessageStore } from "./message-store.ts";
import type { ServiceReply } from "./service-reply.ts";

const namespace = "http://sns.amazonaws.com/doc/2010-03-31/";
const e164 = /^\+[1-9]\d{1,14}$/;

/** Answer `Publish` of SNS (Query protocol) to a phone number. */
export function publishSms(body: Buffer, messages: MessageStore): ServiceReply {
  const form = new URLSearchParams(body.toString());
  if (form.get("Action") !== "Publish") return refuse("InvalidAction", "Only Publish is served here");
  const to = form.get("PhoneNumber") ?? "";
  const text = form.get("Message") ?? "";
  if (!e164.test(to)) return refuse("InvalidParameter", "PhoneNumber must be in E.164 format");
  if (text === "") return refuse("InvalidParameter", "Message is empty");
  const { id } = messages.add({ kind: "sms", to, from: senderIn(form), text, headers: {} });
  return {
    status: 200,
    type: "text/xml",
    body:
      `<PublishResponse xmlns="${namespace}"><PublishResult><MessageId>${id}</MessageId></PublishResult>` +
      `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></PublishResponse>`,
  };
}

function senderIn(form: URLSearchParams): string {
  const [name] = [...form].find(([, value]) => value === "AWS.SNS.SMS.SenderID") ?? [];
  return (name && form.get(name.replace(/\.Name$/, ".Value.StringValue"))) ?? "";
}

const refuse = (code: string, message: string): ServiceReply => ({
  status: 400,
  type: "text/xml",
  body:
    `<ErrorResponse xmlns="${namespace}"><Error><Type>Sender</Type><Code>${code}</Code>` +
    `<Message>${message}</Message></Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`,
});
