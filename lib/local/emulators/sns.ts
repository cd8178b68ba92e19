import { randomUUID } from "node:crypto";
import type { MessageStore } from "./message-store.ts";
import { EndpointRefusal, type PlatformEndpoints } from "./platform-endpoints.ts";
import type { ServiceReply } from "./service-reply.ts";

const namespace = "http://sns.amazonaws.com/doc/2010-03-31/";
const e164 = /^\+[1-9]\d{1,14}$/;

/** The stored endpoints, and the sent messages. */
export interface SnsState {
  readonly messages: MessageStore;
  readonly endpoints: PlatformEndpoints;
}

/** Answer a call of SNS (Query protocol): `Publish` to a phone number or a mobile device, and those about endpoints. */
export function callSns(body: Buffer, state: SnsState): ServiceReply {
  const form = new URLSearchParams(body.toString());
  const action = form.get("Action") ?? "";
  const perform = actions[action];
  if (perform === undefined) return refuse("InvalidAction", `${action} is not served here`);
  try {
    return reply(action, perform(form, state));
  } catch (error) {
    if (error instanceof EndpointRefusal) return refuse(error.code, error.message);
    throw error;
  }
}

/** Handlers by action; each returns the content of its result as XML. */
const actions: Readonly<Record<string, (form: URLSearchParams, state: SnsState) => string>> = {
  Publish: (form, state) =>
    element("MessageId", form.has("TargetArn") ? publishPush(form, state) : publishSms(form, state)),

  CreatePlatformEndpoint: (form, { endpoints }) => {
    const userData = form.get("CustomUserData");
    const attributes = {
      ...mapIn(form, "Attributes"),
      ...(userData !== null && { CustomUserData: userData }),
    };
    return element(
      "EndpointArn",
      endpoints.create(form.get("PlatformApplicationArn") ?? "", form.get("Token") ?? "", attributes),
    );
  },

  GetEndpointAttributes: (form, { endpoints }) => {
    const entries = Object.entries(endpoints.get(form.get("EndpointArn") ?? "").attributes).map(
      ([name, value]) => `<entry>${element("key", name)}${element("value", value)}</entry>`,
    );
    return `<Attributes>${entries.join("")}</Attributes>`;
  },

  SetEndpointAttributes: (form, { endpoints }) => {
    endpoints.setAttributes(form.get("EndpointArn") ?? "", mapIn(form, "Attributes"));
    return "";
  },

  DeleteEndpoint: (form, { endpoints }) => {
    endpoints.delete(form.get("EndpointArn") ?? "");
    return "";
  },
};

function publishSms(form: URLSearchParams, { messages }: SnsState): string {
  const to = form.get("PhoneNumber") ?? "";
  const text = form.get("Message") ?? "";
  if (!e164.test(to)) throw new EndpointRefusal("InvalidParameter", "PhoneNumber must be in E.164 format");
  if (text === "") throw new EndpointRefusal("InvalidParameter", "Message is empty");
  const { "AWS.SNS.SMS.SenderID": from = "" } = messageAttributesIn(form);
  return messages.add({ kind: "sms", to, from, text, headers: {} }).id;
}

/** A push is kept as a message to the device's token. */
function publishPush(form: URLSearchParams, { messages, endpoints }: SnsState): string {
  const { applicationArn, attributes } = endpoints.target(form.get("TargetArn") ?? "");
  const [, transport = "", from = ""] = applicationArn.split("/");
  const text = form.get("Message") ?? "";
  const content = form.get("MessageStructure") === "json" ? contentFor(transport, text) : text;
  const headers = messageAttributesIn(form);
  return messages.add({ kind: "push", to: attributes.Token ?? "", from, text: content, headers }).id;
}

function contentFor(transport: string, text: string): string {
  const byTransport: Readonly<Record<string, string>> = JSON.parse(text);
  if (byTransport.default === undefined) {
    throw new EndpointRefusal(
      "InvalidParameter",
      "Invalid parameter: Message Structure - No default entry in JSON message body",
    );
  }
  return byTransport[transport] ?? byTransport.default;
}

/** A map such as `Attributes.entry.1.key=Enabled&Attributes.entry.1.value=true`. */
const mapIn = (form: URLSearchParams, name: string) => entriesIn(form, `${name}.entry`, "key", "value");

const messageAttributesIn = (form: URLSearchParams) =>
  entriesIn(form, "MessageAttributes.entry", "Name", "Value.StringValue");

function entriesIn(
  form: URLSearchParams,
  prefix: string,
  key: string,
  value: string,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (let index = 1; form.has(`${prefix}.${index}.${key}`); index++) {
    found[form.get(`${prefix}.${index}.${key}`) ?? ""] = form.get(`${prefix}.${index}.${value}`) ?? "";
  }
  return found;
}

const reply = (action: string, result: string): ServiceReply => ({
  status: 200,
  type: "text/xml",
  body:
    `<${action}Response xmlns="${namespace}"><${action}Result>${result}</${action}Result>` +
    `<ResponseMetadata>${element("RequestId", randomUUID())}</ResponseMetadata></${action}Response>`,
});

const refuse = (code: string, message: string): ServiceReply => ({
  status: code === "NotFound" ? 404 : 400,
  type: "text/xml",
  body:
    `<ErrorResponse xmlns="${namespace}"><Error><Type>Sender</Type>${element("Code", code)}` +
    `${element("Message", message)}</Error>${element("RequestId", randomUUID())}</ErrorResponse>`,
});

const element = (name: string, text: string) =>
  `<${name}>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</${name}>`;
