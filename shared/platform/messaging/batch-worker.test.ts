import type { SQSRecord } from "aws-lambda";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { recordedLog } from "../../../test/support/recorded-log.ts";
import { createLog } from "../log.ts";
import { createBatchWorker } from "./batch-worker.ts";

beforeAll(() => {
  vi.stubEnv("AWS_ENDPOINT_URL_SQS", "http://127.0.0.1:1");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const record = (messageId: string, MessageGroupId: string, receives: number) =>
  ({
    messageId,
    receiptHandle: messageId,
    attributes: { MessageGroupId, ApproximateReceiveCount: String(receives) },
  }) as unknown as SQSRecord;

/** The visibility timeouts that SQS is asked to set for the queue, call by call. */
function recordCalls(): Record<string, number>[] {
  const calls: Record<string, number>[] = [];
  const end = interceptAwsCalls(async ({ action, body }) => {
    expect(action).toBe("ChangeMessageVisibilityBatch");
    const { Entries } = JSON.parse(body) as {
      Entries: { ReceiptHandle: string; VisibilityTimeout: number }[];
    };
    calls.push(Object.fromEntries(Entries.map((entry) => [entry.ReceiptHandle, entry.VisibilityTimeout])));
    return awsAnswer(200, {});
  });
  onTestFinished(() => {
    end();
  });
  return calls;
}

const queueUrl = "http://127.0.0.1:1/events.fifo";
const options = {
  queue: "events",
  config: { queueUrl: () => queueUrl },
  log: createLog("test", "CRITICAL"),
} as const;

it("a batch worker leases all messages, and delays failed ones and the rest of their group, longer with each receive", async () => {
  const calls = recordCalls();
  const failed = ["b1", "b2", "c"];
  const answer = { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  const run = createBatchWorker(async () => answer, options);
  const Records = [record("a", "a", 1), record("b1", "b", 3), record("b2", "b", 1), record("c", "c", 40)];

  expect(await run({ Records })).toEqual(answer);
  expect(calls).toEqual([
    { a: 10, b1: 10, b2: 10, c: 10 },
    { b1: 6, b2: 6, c: 60 },
  ]);
});

it("a batch worker counts the messages that it returns as failed, and writes nothing when there are none", async () => {
  recordCalls();
  const { log, metrics } = recordedLog();
  const returning = (failed: readonly string[]) => {
    const batchItemFailures = failed.map((itemIdentifier) => ({ itemIdentifier }));
    return createBatchWorker(async () => ({ batchItemFailures }), { ...options, log });
  };
  const Records = ["a", "b", "c"].map((id) => record(id, id, 1));

  await returning([])({ Records });
  expect(metrics).toEqual([]);
  await returning(["a", "c"])({ Records });
  expect(metrics).toMatchObject([{ queue: "events", FailedItems: 2 }]);
});

it("a batch worker makes no further call when all messages succeed", async () => {
  const calls = recordCalls();
  const run = createBatchWorker(async () => ({ batchItemFailures: [] }), options);
  await run({ Records: [record("a", "a", 1)] });

  expect(calls).toEqual([{ a: 10 }]);
});

it("a batch worker delays all messages when the run fails", async () => {
  const calls = recordCalls();
  const { log, metrics } = recordedLog();
  const run = createBatchWorker(() => Promise.reject(new Error("failed")), { ...options, log });

  await expect(run({ Records: [record("a", "a", 1)] })).rejects.toThrow("failed");
  expect(calls).toEqual([{ a: 10 }, { a: 2 }]);
  expect(metrics).toMatchObject([{ FailedItems: 1 }]);
});

it("a batch worker handles messages whose visibility cannot be changed", async () => {
  const end = interceptAwsCalls(async () => awsAnswer(400, { __type: "AccessDeniedException" }));
  onTestFinished(() => {
    end();
  });
  const run = createBatchWorker(async () => ({ batchItemFailures: [] }), options);

  expect(await run({ Records: [record("a", "a", 1)] })).toEqual({ batchItemFailures: [] });
});
