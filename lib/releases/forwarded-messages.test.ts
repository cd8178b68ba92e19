import { expect, it } from "vitest";
import type * as z from "zod";
import { erasureOrder } from "#shared/accounts/erasure-order.ts";
import { indexUpdate } from "#shared/accounts/index-update.ts";
import { mailMessageSchema } from "#shared/codes/mail/message.ts";
import { conversationJob, orderSecondLook } from "#shared/conversations/conversation-job.ts";
import { botEvent } from "#shared/events/bot-event.ts";
import { cellsNotification } from "#shared/events/cells-notification.ts";
import { eventMessage } from "#shared/events/event-message.ts";
import { createLog } from "#shared/platform/log.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { provisioningJob } from "#shared/provisioning/provisioning-job.ts";
import { serviceJob } from "#shared/services/service-job.ts";
import { teamJob } from "#shared/teams/team-job.ts";
import { closedObjectsIn } from "../../test/support/stored-shapes.ts";

/** Messages that a worker forwards, or sends again to continue later; a newer version may receive them. */
const forwarded: Readonly<Record<string, z.ZodType>> = {
  botEvent,
  cellsNotification,
  conversationJob,
  erasureOrder,
  eventMessage,
  indexUpdate,
  provisioningJob,
  serviceJob,
  teamJob,
};

it.each(Object.entries(forwarded))("%s keeps fields that it does not know", (_, schema) => {
  // If this fails, declare the object with storedObject.
  expect(closedObjectsIn(schema)).toEqual([]);
});

it("a job that continues later keeps the fields that a newer version has added", () => {
  const config = { tableName: String, queueUrl: String };
  const outbox = new Outbox({ config, clock: Date.now, log: createLog("test", "CRITICAL") });
  const job = {
    job: "remove-device",
    userId: "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4",
    clientId: "a1",
    reason: "lost",
  };
  const { write } = orderSecondLook(
    outbox,
    conversationJob.parse(job) as Parameters<typeof orderSecondLook>[1],
  );
  expect(JSON.parse(write.item.Put?.Item?.payload)).toEqual({ ...job, isSecondLook: true });
});

it("a mail of a newer version is read without the fields that this version does not know", () => {
  const code = { purpose: "activation", codeKey: "key", nonce: "nonce" };
  const mail = { template: "verification", to: "ada@example.com", code };
  expect(mailMessageSchema.parse({ ...mail, code: { ...code, digits: 8 }, urgency: "low" })).toEqual(mail);
});
