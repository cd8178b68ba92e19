import { randomUUID } from "node:crypto";
import { CreateQueueCommand, type Message, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import { afterAll, beforeEach, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { createLog } from "#shared/platform/log.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { stackConfig } from "../../support/events.ts";
import { injectFaults } from "../../support/faults.ts";

const holdSeconds = 3;
const sqs = new SQSClient();
afterAll(() => sqs.destroy());

/** A queue that no stack reads, with one message from the outbox. */
async function queueWithMessage() {
  const name = `leases-${randomUUID()}`;
  const created = await sqs.send(
    new CreateQueueCommand({ QueueName: name, Attributes: { VisibilityTimeout: "60" } }),
  );
  const path = new URL(created.QueueUrl ?? "").pathname;
  const queueUrl = new URL(path, process.env.AWS_ENDPOINT_URL_SQS).href;
  const config = { ...stackConfig("test"), queueUrl: () => queueUrl };
  const log = createLog("test", "CRITICAL");
  const context = storeContext({ config, clock: systemClock });
  const message = new Outbox({ config, clock: systemClock, log }).message("mail", { number: 1 });
  await commit(context.dynamo, { messages: [message] });
  await message.send();

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
    run: (record: SQSRecord | undefined, handle: () => Promise<void>) =>
      createLeasedWorker(outbox, handle, { queue: "mail", config, log, holdSeconds })({
        Records: record === undefined ? [] : [record],
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
  let renewals = 0;
  const endFaults = injectFaults(({ service, action, body }) => {
    const isLease = service === "dynamodb" && body.includes("leasedUntil") && !body.includes("deliveries");
    const isLater = action === "ChangeMessageVisibility" && ++renewals > 1;
    return isLease || isLater ? "ignored" : undefined;
  });
  let end = () => {};
  const dead = run(record, () => new Promise<void>((resolve) => (end = resolve)));
  const again = await receive(20);
  endFaults();
  await run(again, handle);
  end();
  await dead;

  expect(handled).toBe(1);
});

it("keeps a message while a worker needs longer than the lease", async () => {
  const { receive, run } = await queueWithMessage();
  const record = await receive(10);
  let end = () => {};
  const slow = run(record, () => new Promise<void>((resolve) => (end = resolve)));
  const meanwhile = await receive(holdSeconds * 2);
  await run(record, handle);
  end();

  expect(meanwhile).toBeUndefined();
  expect(handled).toBe(0);
  expect(await slow).toEqual({ batchItemFailures: [] });
});
