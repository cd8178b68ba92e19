import { randomUUID } from "node:crypto";
import { DeleteCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { laneOf, maxDeliveries } from "#shared/platform/messaging/outbox-item.ts";
import { runAdmin } from "../../support/admin.ts";
import { eventSource, newReader, numbersListed, type Reader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type AwsCall, injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";

const dynamo = createDynamo();
let stack: OwnStack;
let source: ReturnType<typeof eventSource>;
let table: string;
let endFaults: () => void;
let calls: AwsCall[] = [];
/** Text in the bodies of calls that fail as if the process had died. */
let deadly: string | undefined;
/** Whether the queue loses what the sweeper sends. */
let isQueueLost = false;

beforeAll(async () => {
  // Only the sweeps of the tests send anything again.
  stack = await stackWith({ outboxResendSeconds: 60 }, { isClockStopped: true });
  source = eventSource(stack);
  table = `${stack.prefix}-outbox`;
  endFaults = injectFaults((call) => {
    if (call.body.includes(stack.prefix)) calls.push(call);
    if (isQueueLost && call.action === "SendMessageBatch") return "ignored";
    return deadly !== undefined && call.action === "SendMessageBatch" && call.body.includes(deadly)
      ? "dies-before"
      : undefined;
  });
});
afterAll(() => endFaults());
beforeEach(() => {
  calls = [];
  deadly = undefined;
  isQueueLost = false;
});

const sweep = () => stack.invoke("outbox-sweeper", {});
const resent = () => calls.filter(({ action }) => action === "SendMessageBatch").map(({ body }) => body);

const listed = async ({ token }: Reader) =>
  numbersListed(await stack.publicApi("GET", "/notifications", { token }));

/** Runs a command of operators on the parked messages. @returns its result */
async function operate(command: string, ...args: string[]) {
  const outcome = await runAdmin(["outbox", command, "--table-prefix", stack.prefix, "--json", ...args]);
  if (outcome.code !== 0) throw Object.assign(new Error(outcome.stderr), outcome);
  return JSON.parse(outcome.stdout);
}

async function itemsOf(lane: string): Promise<Record<string, unknown>[]> {
  const query = new QueryCommand({
    TableName: table,
    KeyConditionExpression: "lane = :lane",
    ExpressionAttributeValues: { ":lane": lane },
    ConsistentRead: true,
  });
  return (await dynamo.send(query)).Items ?? [];
}

const update = (key: Record<string, unknown>, change: string, values?: Record<string, unknown>) =>
  dynamo.send(
    new UpdateCommand({
      TableName: table,
      Key: { lane: key.lane, messageId: key.messageId },
      UpdateExpression: change,
      ExpressionAttributeValues: values,
    }),
  );

describe("the outbox", () => {
  it("is swept less and less often until a message that was never sent has been handled", async () => {
    const reader = await newReader(stack);
    const sender = randomUUID();
    isQueueLost = true;
    await source.commit(...upTo(3).map((number) => ({ number, to: [reader], sender })));
    const sendsAfter: number[] = [];
    for (const seconds of [0, 61, 0, 61, 61, 61]) {
      stack.advance(seconds);
      calls = [];
      await sweep();
      sendsAfter.push(resent().filter((body) => body.includes(sender)).length);
    }
    expect(sendsAfter).toEqual([0, 1, 0, 1, 0, 1]);

    isQueueLost = false;
    stack.advance(241);
    calls = [];
    await sweep();
    expect(JSON.parse(resent()[0] ?? "").Entries).toHaveLength(1);
    await eventually(async () => expect(await listed(reader)).toEqual(upTo(3)));
  });

  it("goes on with the lane when a message in it cannot be read, and parks that message", async () => {
    const reader = await newReader(stack);
    const sender = randomUUID();
    const lane = laneOf("events", sender);
    const send = await source.commit(...upTo(3).map((number) => ({ number, to: [reader], sender })));
    const [, second] = await itemsOf(lane);
    const { payload } = second ?? {};
    await update(second ?? {}, "SET payload = :garbled", { ":garbled": "{" });
    await send();
    await eventually(async () => expect(await listed(reader)).toEqual([1, 3]));

    const messages = await operate("list", "events");
    const parked = messages.find((message: { lane: string }) => message.lane === lane);
    expect(parked).toEqual({
      queue: "events",
      messageId: second?.messageId,
      lane,
      parkedAt: expect.any(String),
      reason: expect.stringContaining("JSON"),
      deliveries: 0,
    });
    await update({ lane: "parked#events", messageId: parked.messageId }, "SET payload = :mended", {
      ":mended": payload,
    });
    const isBack = [{ message: parked.messageId, outcome: "put back" }];
    expect(await operate("repeat", "events", parked.messageId, "--dry-run")).toEqual(isBack);
    expect(await operate("list", "events")).toContainEqual(parked);
    expect(await operate("repeat", "events", parked.messageId)).toEqual(isBack);
    stack.advance(61);
    await sweep();
    await eventually(async () => expect(await listed(reader)).toEqual([1, 3, 2]));
    await eventually(async () => expect(await itemsOf(lane)).toEqual([]));
  });

  it("hands a worker messages that were committed before one that it handled ahead of its nudge", async () => {
    const reader = await newReader(stack);
    const sender = randomUUID();
    const lane = laneOf("events", sender);
    const commit = (number: number, milliseconds: number) =>
      eventSource({ prefix: stack.prefix, clock: () => Date.now() + milliseconds }).commit({
        number,
        to: [reader],
        sender,
      });
    const nudgeFor = (item: Record<string, unknown> | undefined, of = lane) => ({
      messageId: randomUUID(),
      body: JSON.stringify({ lane: of, messageId: item?.messageId }),
      attributes: { ApproximateReceiveCount: "1", MessageGroupId: of },
    });
    await commit(1, -1000);
    await commit(3, 0);
    const [first, third] = await itemsOf(lane);
    const others = upTo(9).map(() => nudgeFor(first, laneOf("events", randomUUID())));
    // A full batch, which tells the worker that more is waiting.
    await stack.invoke("fan-out", { Records: [nudgeFor(first), ...others] });
    await eventually(async () => expect(await listed(reader)).toEqual([1, 3]));

    await commit(2, -500);
    const [second] = await itemsOf(lane);
    await stack.invoke("fan-out", { Records: [nudgeFor(second), nudgeFor(third)] });
    expect(await itemsOf(lane)).toEqual([]);
    await eventually(async () => expect(await listed(reader)).toEqual([1, 3, 2]));
  });

  it("is swept past unreadable messages, whatever their queue", async () => {
    const reader = await newReader(stack);
    await source.commit({ number: 7, to: [reader] });
    const unreadable = ["events", "mail", "erasures"] as const;
    const keys = unreadable.map((queue) => {
      const messageId = `${new Date(stack.clock()).toISOString()}#000000#${randomUUID()}`;
      return { queue, lane: laneOf(queue, randomUUID()), messageId };
    });
    for (const { lane, messageId } of keys) {
      await dynamo.send(new PutCommand({ TableName: table, Item: { lane, messageId, payload: "{}" } }));
    }
    stack.advance(61);
    await sweep();
    await eventually(async () => expect(await listed(reader)).toEqual([7]));
    for (const { queue, messageId } of keys) {
      const shown = await operate("show", queue, messageId);
      expect(shown).toMatchObject({ queue, messageId, payload: "{}" });
      await expect(operate("drop", queue, messageId)).rejects.toThrow(/--yes/);
      const dropped = [{ message: messageId, outcome: "dropped" }];
      expect(await operate("drop", queue, messageId, "--yes", queue)).toEqual(dropped);
      expect(await itemsOf(`parked#${queue}`)).not.toContainEqual(expect.objectContaining({ messageId }));
    }
  });

  it.each([
    ["mail-delivery", "mail"],
    ["fan-out", "events"],
    ["delivery", "deliveries"],
    ["search-indexer", "search-index"],
    ["socket-closer", "socket-closures"],
    ["erasure", "erasures"],
  ] as const)(
    "has %s refuse a queue message that is not JSON, and handle the others",
    async (worker, queue) => {
      const attributes = { ApproximateReceiveCount: "1" };
      const messageId = `${new Date(stack.clock()).toISOString()}#000000#${randomUUID()}`;
      const handled = JSON.stringify({ lane: laneOf(queue, randomUUID()), messageId });
      const Records = ["{", handled].map((body, index) => ({ messageId: String(index), body, attributes }));
      const batchItemFailures = [{ itemIdentifier: "0" }];
      expect(await stack.invoke(worker, { Records })).toEqual({ batchItemFailures });
    },
  );

  it("parks a message whose worker dies every time, and goes on with the rest of its lane", async () => {
    const poisoned = await newReader(stack);
    const reader = await newReader(stack);
    const sender = randomUUID();
    const lane = laneOf("events", sender);
    deadly = poisoned.userId;
    await source.commit({ number: 1, to: [poisoned], sender }, { number: 2, to: [reader], sender });
    const [first, second] = await itemsOf(lane);
    await update(first ?? {}, "SET deliveries = :many", { ":many": maxDeliveries.fifo - 1 });
    for (let receive = 2; receive <= 4; receive++) {
      const body = JSON.stringify({ lane, messageId: second?.messageId });
      const attributes = { ApproximateReceiveCount: String(receive), MessageGroupId: sender };
      await stack.invoke("fan-out", { Records: [{ messageId: "1", body, attributes }] });
    }
    await eventually(async () => expect(await listed(reader)).toEqual([2]));
    const parked = await operate("list", "events");
    expect(parked).toContainEqual(expect.objectContaining({ lane, deliveries: maxDeliveries.fifo + 1 }));
  });

  it("parks a queue message with unreadable content immediately, with the reason", async () => {
    const messageId = `${new Date(stack.clock()).toISOString()}#000000#${randomUUID()}`;
    const lane = laneOf("mail", messageId);
    await dynamo.send(
      new PutCommand({ TableName: table, Item: { lane, messageId, payload: "{not JSON", deliveries: 0 } }),
    );
    const body = JSON.stringify({ lane, messageId });
    const Records = [{ messageId: "1", body, attributes: { ApproximateReceiveCount: "1" } }];
    expect(await stack.invoke("mail-delivery", { Records })).toEqual({ batchItemFailures: [] });
    expect(await itemsOf(lane)).toEqual([]);
    const parked = await operate("list", "mail");
    const reason = expect.stringContaining("SyntaxError");
    expect(parked).toContainEqual(expect.objectContaining({ lane, messageId, reason }));
  });

  it("leaves messages of a queue alone while a worker has leased them", async () => {
    const lane = laneOf("mail", randomUUID());
    const messageId = `${new Date(stack.clock()).toISOString()}#000000#${randomUUID()}`;
    const leasedUntil = stack.clock() + 3600_000;
    const item = { lane, messageId, payload: "{}", deliveries: 12, leasedUntil };
    await dynamo.send(new PutCommand({ TableName: table, Item: item }));
    stack.advance(61);
    await sweep();
    expect(await itemsOf(lane)).toEqual([item]);
    await dynamo.send(new DeleteCommand({ TableName: table, Key: { lane, messageId } }));
  });

  it("explains what is wrong with a command", async () => {
    await expect(operate("list", "letters")).rejects.toThrow(/QUEUE is one of/);
    await expect(operate("repeat", "events")).rejects.toThrow(/--all of the queue/);
    await expect(operate("repeat", "events", "id", "--all")).rejects.toThrow(/--all of the queue/);
    await expect(operate("show", "events", "unknown")).rejects.toThrow(/unknown is not parked/);
    await expect(operate("list", "--table-prefix", "unknown")).rejects.toMatchObject({
      stderr: expect.stringContaining("ResourceNotFoundException"),
    });
    await expect(operate("repeat", "events", "unknown")).rejects.toMatchObject({
      stdout: expect.stringContaining("not parked"),
    });
  });
});
