import { randomUUID } from "node:crypto";
import type { SQSRecord } from "aws-lambda";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { type AwsCall, awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { injectFaults } from "../../../test/support/faults.ts";
import { stackConfig } from "../../../test/support/stack-config.ts";
import { storeContext } from "../data/store-context.ts";
import { createLog } from "../log.ts";
import { currentRequestId, onBehalfOf } from "../request-id.ts";
import { commit } from "./change.ts";
import { createLeasedWorker } from "./leased-worker.ts";
import { Outbox } from "./outbox.ts";
import { OutboxWorker } from "./outbox-worker.ts";

const leaseSeconds = 3;
const config = stackConfig("test");
const log = createLog("test", "CRITICAL");
let now: number;
const context = storeContext({ config, clock: () => now });
const outbox = new OutboxWorker(context);
const sender = new Outbox({ config, clock: () => now, log });

/** Calls of SQS, which hides messages for as long as it is asked to. */
let hidden: AwsCall[];
let handled: number;
beforeEach(() => {
  now = Date.now();
  hidden = [];
  handled = 0;
  const end = interceptAwsCalls(async (call, send) => {
    if (call.service !== "sqs") return send();
    hidden.push(call);
    return awsAnswer(200, {});
  });
  onTestFinished(() => {
    end();
  });
});
const handle = async () => {
  handled++;
};

/** Messages from the outbox, as SQS hands them out. */
async function newRecords(count = 1, requestId?: string): Promise<SQSRecord[]> {
  const messages = onBehalfOf(requestId, () =>
    Array.from({ length: count }, (_, number) => sender.message("mail", { number })),
  );
  await commit(context.dynamo, { messages });
  return messages.map(({ key }) => received({ body: JSON.stringify(key) }, 1));
}

const received = ({ body }: Pick<SQSRecord, "body">, receives: number) =>
  ({
    messageId: randomUUID(),
    receiptHandle: randomUUID(),
    body,
    attributes: { ApproximateReceiveCount: String(receives) },
  }) as unknown as SQSRecord;

const run = (Records: SQSRecord[], work: () => Promise<void>, options: { isIdempotent?: boolean } = {}) =>
  createLeasedWorker(outbox, work, { queue: "mail", config, log, leaseSeconds, ...options })({ Records });

/** A worker that has begun to handle a message, and does not end before it is told to. */
async function startSlow(record: SQSRecord) {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const result = run([record], () => {
    begun.resolve();
    return ended.promise;
  });
  await begun.promise;
  return { result, end: ended.resolve };
}

it("gives a message to another worker within seconds when the first one dies", async () => {
  const [record] = (await newRecords()) as [SQSRecord];
  const endFaults = injectFaults(({ service, body }) =>
    service === "dynamodb" && body.includes("leasedUntil") && !body.includes("deliveries")
      ? "ignored"
      : undefined,
  );
  const dead = await startSlow(record);
  expect(JSON.parse(hidden[0]?.body ?? "").Entries).toMatchObject([{ VisibilityTimeout: leaseSeconds }]);
  now += leaseSeconds * 1000;
  // The timer of the dead worker still ticks: its renewals stay without effect until the other one has finished.
  await run([received(record, 2)], handle).finally(endFaults);
  dead.end();
  await dead.result;

  expect(handled).toBe(1);
});

it("keeps a message leased while a worker needs longer than the lease", async () => {
  const [record] = (await newRecords()) as [SQSRecord];
  const slow = await startSlow(record);
  // In the outbox, the lease ends two seconds earlier.
  for (let renewals = 1; renewals <= 3; renewals++) {
    now += 900;
    const before = hidden.length;
    await vi.waitFor(() => expect(hidden.length).toBeGreaterThan(before), 20_000);
  }
  await run([received(record, 2)], handle);
  slow.end();

  expect(handled).toBe(0);
  expect(await slow.result).toEqual({ batchItemFailures: [] });
});

it("handles a message on behalf of the request that has caused it", async () => {
  let requestId: string | undefined;
  await run(await newRecords(1, "request-1"), async () => {
    requestId = currentRequestId();
  });
  expect(requestId).toBe("request-1");
});

it("leases all messages of a run with one call", async () => {
  const result = await run(await newRecords(3), handle);

  expect(result).toEqual({ batchItemFailures: [] });
  expect(handled).toBe(3);
  expect(hidden).toHaveLength(1);
});

it("shares the calls of a run among its messages if they may be handled twice", async () => {
  const records = await newRecords(3);
  const actions: string[] = [];
  const endFaults = injectFaults(({ service, action }) => {
    if (service === "dynamodb") actions.push(action);
    return undefined;
  });
  const result = await run(records, handle, { isIdempotent: true }).finally(endFaults);

  expect(result).toEqual({ batchItemFailures: [] });
  expect(handled).toBe(3);
  expect(actions).toEqual(["BatchGetItem", "BatchWriteItem"]);
});

it.for([
  ["both copies of a message that may be handled twice", 1, 2],
  ["only one of two copies of a message that is received again, even if it may be handled twice", 2, 1],
] as const)("handles %s", async ([, receives, expected]) => {
  const [record] = (await newRecords()) as [SQSRecord];
  const copy = received(record, receives);
  await Promise.all([1, 2].map(() => run([copy], handle, { isIdempotent: true })));
  expect(handled).toBe(expected);
});
