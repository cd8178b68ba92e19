import { expect, it } from "vitest";
import { type Feedback, suppressionsOf } from "./handler.ts";

const to = "Ada@example.com";
const mail = { destination: [to] };

const bounce = (bounceType: string, emailAddress = to): Feedback => ({
  eventType: "Bounce",
  bounce: { bounceType, bouncedRecipients: [{ emailAddress }] },
  mail,
});
const complaint = (complaintFeedbackType: string | undefined, emailAddress = to): Feedback => ({
  eventType: "Complaint",
  complaint: { complaintFeedbackType, complainedRecipients: [{ emailAddress }] },
  mail,
});

it.each<[string, Feedback]>([
  ["an address that bounces permanently", bounce("Permanent")],
  ["an address as the mail spelled it, however the report does", bounce("Permanent", "<ada@EXAMPLE.com>")],
])("suppresses %s", (_, feedback) => {
  expect(suppressionsOf(feedback)).toEqual([{ address: to, reason: "bounce" }]);
});

it.each<[string, Feedback]>([
  ["an owner who complains", complaint("abuse")],
  ["an owner who complains without a reason", complaint(undefined)],
])("suppresses the address of %s", (_, feedback) => {
  expect(suppressionsOf(feedback)).toEqual([{ address: to, reason: "complaint" }]);
});

it.each<[string, Feedback]>([
  ["a full mailbox", bounce("Transient")],
  ["a bounce that is not understood", bounce("Undetermined")],
  ["a report that a mail is not spam", complaint("not-spam")],
  ["a bounce of an address to which the mail was not sent", bounce("Permanent", "grace@example.com")],
  ["a complaint of such an address", complaint("abuse", "grace@example.com")],
])("suppresses nothing for %s", (_, feedback) => {
  expect(suppressionsOf(feedback)).toEqual([]);
});
