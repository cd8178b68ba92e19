import { randomUUID } from "node:crypto";
import { CreateQueueCommand, type Message, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import { afterAll, beforeEach, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { createLog } from "#shared/platform/log.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { Outbox, sendAll } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { currentRequestId, onBehalfOf } from "#shared/platform/request-id.ts";
import { injectFaults } from "../../support/faults.ts";
import { stackConfig } from "../../support/stack-config.ts";

const leaseSeconds = 3;
const sqs = new SQSClient();
afterAll(() => sqs.destroy());

/** A queue that no stack reads, with messages from the outbox. */
async function queueWithMessage({ count = 1, requestId }: { count?: number; requestId?: string } = {}) {
  const name = `leases-${randomUUID()}`;
  const created = await sqs.send(
    new CreateQueueCommand({ QueueName: name, Attributes: { VisibilityTimeout: "60" } }),
  );
  const path = new URL(created.QueueUrl ?? "").pathname;
  const queueUrl = new URL(path, process.env.AWS_ENDPOINT_URL_SQS).href;
  const config = { ...stackConfig("test"), queueUrl: () => queueUrl };
  const log = createLog("test", "CRITICAL");
  const context = storeContext({ config, clock: systemClock });
  const sender = new Outbox({ config, clock: systemClock, log });
  const messages = onBehalfOf(requestId, () =>
    Array.from({ length: count }, (_, number) => sender.message("mail", { number })),
  );
  await commit(context.dynamo, { messages });
  await sendAll(messages);

  const outbox = new OutboxWorker(context);
  return {
    /** The message as SQS hands it out within some seconds. */
    async receive(seconds: number): Promise<SQSRecord | undefined> {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          WaitTimeSeconds: seconds,
          MessageSystemAttributeNames: ["All"],
        }),
      );
      return Messages[0] && toRecord(Messages[0]);
    },
    /** Lets a worker handle a received message. */
    run: (
      record: SQSRecord | readonly SQSRecord[] | undefined,
      handle: () => Promise<void>,
      options: { isIdempotent?: boolean; leaseSeconds?: number } = {},
    ) =>
      createLeasedWorker(outbox, handle, { queue: "mail", config, log, leaseSeconds, ...options })({
        Records: [record ?? []].flat(),
      }),
  };
}

const toRecord = ({ MessageId, ReceiptHandle, Body, Attributes }: Message) =>
  ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes,
  }) as unknown as SQSRecord;

let handled: number;
beforeEach(() => {
  handled = 0;
});
const handle = async () => {
  handled++;
};

it("gives a message to another worker within seconds when the first one dies", async () => {
  const { receive, run } = await queueWithMessage();
  const record = await receive(10);
  const endFaults = injectFaults(({ service, action, body }) => {
    const isLease = service === "dynamodb" && body.includes("leasedUntil") && !body.includes("deliveries");
    const isRenewal = isLease || action === "ChangeMessageVisibility";
    return isRenewal ? "ignored" : undefined;
  });
  let end = () => {};
  const dead = run(record, () => new Promise<void>((resolve) => (end = resolve)));
  const again = await receive(20);
  // The timer of the dead worker still ticks: its renewals stay without effect until the other one has finished.
  await run(again, handle).finally(endFaults);
  end();
  await dead;

  expect(handled).toBe(1);
});

it("keeps a message leased while a worker needs longer than the lease", async () => {
  const { receive, run } = await queueWithMessage();
  const record = await receive(10);
  let end = () => {};
  // A busy machine may be late for the renewals of a shorter lease.
  const options = { leaseSeconds: 8 };
  const slow = run(record, () => new Promise<void>((resolve) => (end = resolve)), options);
  const meanwhile = await receive(options.leaseSeconds * 2);
  await run(record, handle);
  end();

  expect(meanwhile).toBeUndefined();
  expect(handled).toBe(0);
  expect(await slow).toEqual({ batchItemFailures: [] });
});

it("handles a message on behalf of the request that has caused it", async () => {
  const { receive, run } = await queueWithMessage({ requestId: "request-1" });
  let requestId: string | undefined;
  await run(await receive(10), async () => {
    requestId = currentRequestId();
  });
  expect(requestId).toBe("request-1");
});

it("leases all messages of a run with one call", async () => {
  const count = 3;
  const { receive, run } = await queueWithMessage({ count });
  const records: SQSRecord[] = [];
  while (records.length < count) records.push(...[(await receive(10)) ?? []].flat());
  let calls = 0;
  const endFaults = injectFaults(({ service }) => {
    if (service === "sqs") calls++;
    return undefined;
  });
  const result = await run(records, handle);
  endFaults();

  expect(result).toEqual({ batchItemFailures: [] });
  expect(handled).toBe(count);
  expect(calls).toBe(1);
});

it("shares the calls of a run among its messages if they may be handled twice", async () => {
  const count = 3;
  const { receive, run } = await queueWithMessage({ count });
  const records: SQSRecord[] = [];
  while (records.length < count) records.push(...[(await receive(10)) ?? []].flat());
  const actions: string[] = [];
  const endFaults = injectFaults(({ action, body }) => {
    if (records.some((record) => body.includes(JSON.parse(record.body).messageId))) actions.push(action);
    return undefined;
  });
  const result = await run(records, handle, { isIdempotent: true });
  endFaults();

  expect(result).toEqual({ batchItemFailures: [] });
  expect(handled).toBe(count);
  expect(actions).toEqual(["BatchGetItem", "BatchWriteItem"]);
});

it.each([
  ["handles both copies of a message that may be handled twice", "1", 2],
  [
    "handles only one of two copies of a message that is received again, even if it may be handled twice",
    "2",
    1,
  ],
])("%s", async (_, receives, expected) => {
  const { receive, run } = await queueWithMessage();
  const record = await receive(10);
  const attributes = { ...record?.attributes, ApproximateReceiveCount: receives };
  const copy = { ...record, attributes } as SQSRecord;
  await Promise.all([1, 2].map(() => run(copy, handle, { isIdempotent: true })));
  expect(handled).toBe(expected);
});
