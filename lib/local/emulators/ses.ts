import * as z from "zod";
import type { MessageStore } from "./message-store.ts";
import type { ServiceReply } from "./service-reply.ts";

const content = z.object({ Data: z.string() });

const sendEmailRequest = z.object({
  FromEmailAddress: z.string().min(1),
  Destination: z.object({
    ToAddresses: z.array(z.string().includes("@")).default([]),
    CcAddresses: z.array(z.string().includes("@")).default([]),
    BccAddresses: z.array(z.string().includes("@")).default([]),
  }),
  Content: z.object({
    Simple: z.object({
      Subject: content,
      Body: z
        .object({ Text: content.optional(), Html: content.optional() })
        .refine((body) => body.Text !== undefined || body.Html !== undefined, "Text or Html is needed"),
      Headers: z.array(z.object({ Name: z.string().min(1), Value: z.string() })).default([]),
    }),
  }),
});

/** Answer `SendEmail` of SES v2 for simple content, with one message in the store per recipient. */
export function sendEmail(body: Buffer, messages: MessageStore): ServiceReply {
  const result = sendEmailRequest.safeParse(parseJson(body));
  if (!result.success) return badRequest(z.prettifyError(result.error));
  const { FromEmailAddress, Destination, Content } = result.data;
  const { Subject, Body, Headers } = Content.Simple;
  const recipients = [...Destination.ToAddresses, ...Destination.CcAddresses, ...Destination.BccAddresses];
  const ids = recipients.map(
    (to) =>
      messages.add({
        kind: "email",
        to,
        from: FromEmailAddress,
        subject: Subject.Data,
        text: Body.Text?.Data ?? "",
        ...(Body.Html !== undefined && { html: Body.Html.Data }),
        headers: Object.fromEntries(Headers.map(({ Name, Value }) => [Name, Value])),
      }).id,
  );
  if (ids[0] === undefined) return badRequest("Destination has no address");
  return { status: 200, type: "application/json", body: JSON.stringify({ MessageId: ids[0] }) };
}

const badRequest = (message: string): ServiceReply => ({
  status: 400,
  type: "application/json",
  headers: { "x-amzn-errortype": "BadRequestException" },
  body: JSON.stringify({ message }),
});

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
