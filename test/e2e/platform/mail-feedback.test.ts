import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newEmail, newPhone } from "../../support/users.ts";

const suppressionSeconds = 3600;
const stack = await stackWith({ mailSuppressionSecs: suppressionSeconds, outboxResendSeconds: 5 });

const requestCode = (address: { email: string } | { phone: string }) =>
  stack.publicApi("POST", "/activate/send", { json: address });

/** Event of SES about a mail, as it arrives in the queue. */
const feedback = (email: string, detail: object) => ({
  version: "0",
  id: randomUUID(),
  "detail-type": "Email Bounced",
  source: "aws.ses",
  detail: { ...detail, mail: { messageId: randomUUID(), destination: [email] } },
});
const bounce = (email: string, bounceType = "Permanent") =>
  feedback(email, {
    eventType: "Bounce",
    bounce: { bounceType, bounceSubType: "General", bouncedRecipients: [{ emailAddress: email }] },
  });

/** Hand messages to the worker. @returns ids of those that it could not handle */
async function receive(...bodies: unknown[]): Promise<string[]> {
  const Records = bodies.map((body, index) => ({ messageId: String(index), body: JSON.stringify(body) }));
  const result = await stack.invoke("mail-feedback", { Records });
  const { batchItemFailures } = result as { batchItemFailures: { itemIdentifier: string }[] };
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

/** Let SES refuse mails to an address with this error. @returns how often it did, and a function that ends the refusals */
function refuseMails(email: string, error: string) {
  const refused = { count: 0, end: () => {} };
  refused.end = interceptAwsCalls(async (call, send) => {
    if (!call.path.endsWith("/outbound-emails") || !call.body.includes(email)) return send();
    refused.count++;
    const answer = awsAnswer(400, { message: `Email address is not verified: ${email}` });
    Object.assign(answer.response.headers, { "x-amzn-errortype": error });
    return answer;
  });
  return refused;
}

it("a mail that SES refused because of its sender is sent again", async () => {
  const email = newEmail();
  const refused = refuseMails(email, "MessageRejected");
  expect(outcome(await requestCode({ email }))).toBe("200");
  await eventually(() => expect(refused.count).toBeGreaterThan(0));
  refused.end();
  expect((await nextMessage(email)).to).toBe(email);
});

it("an address that bounced gets no further mail until the suppression ends", async () => {
  const [bounced, other] = [newEmail(), newEmail()];
  expect(await receive(bounce(bounced), bounce(other))).toEqual([]);
  const otherSpelling = other.toUpperCase();
  for (const email of [bounced, otherSpelling]) {
    expect(outcome(await requestCode({ email }))).toBe("200");
  }
  expect((await nextMessage(otherSpelling)).to).toBe(otherSpelling);
  expect(await messagesTo(bounced)).toEqual([]);

  stack.advance(suppressionSeconds);
  expect(outcome(await requestCode({ email: bounced }))).toBe("200");
  expect((await nextMessage(bounced)).to).toBe(bounced);
});

it("a temporary bounce prevents neither further mails nor SMS", async () => {
  const [email, phone] = [newEmail(), newPhone()];
  expect(await receive(bounce(email, "Transient"), bounce(phone))).toEqual([]);
  await requestCode({ email });
  await requestCode({ phone });
  expect((await nextMessage(email)).to).toBe(email);
  expect((await nextMessage(phone)).to).toBe(phone);
});

it("each report is handled on its own, and an unknown one returns to the queue", async () => {
  const [bounced, complained, other] = [newEmail(), newEmail(), newEmail()];
  const complaint = feedback(complained, {
    eventType: "Complaint",
    complaint: { complaintFeedbackType: "abuse", complainedRecipients: [{ emailAddress: complained }] },
  });
  const forged = { ...bounce(other), source: "somebody.else" };
  expect(await receive("?", complaint, forged, {}, bounce(bounced))).toEqual(["0", "2", "3"]);
  for (const email of [bounced, complained, other]) await requestCode({ email });
  expect((await nextMessage(other)).to).toBe(other);
  expect([...(await messagesTo(bounced)), ...(await messagesTo(complained))]).toEqual([]);
});
