import { randomUUID } from "node:crypto";
import { GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { type AwsCall, type Fault, injectFaults } from "../../../test/support/faults.ts";
import { systemClock } from "../clock.ts";
import { StaleReadError, transact, type Write } from "../data/conditions.ts";
import { createDynamo } from "../data/dynamo.ts";
import { storeContext } from "../data/store-context.ts";
import { createLog } from "../log.ts";
import { onBehalfOf } from "../request-id.ts";
import { change, combine, commit } from "./change.ts";
import { Outbox, type OutboxMessage, type RevocableMessage } from "./outbox.ts";
import {
  type LaneNudge,
  laneNudge,
  laneOf,
  messagesPerNudge,
  type OutboxItem,
  type OutboxKey,
} from "./outbox-item.ts";
import { OutboxWorker } from "./outbox-worker.ts";
import { ParkedMessages } from "./parked-messages.ts";

const dynamo = createDynamo();
const deps = { dynamo };
const TableName = "test-rate-limits";

async function read(bucket: string): Promise<{ revision: number }> {
  const { Item } = await dynamo.send(new GetCommand({ TableName, Key: { bucket }, ConsistentRead: true }));
  return { revision: 0, ...Item };
}

const put = (bucket: string, revision: number): Write => ({
  item: {
    Put: {
      TableName,
      Item: { bucket, revision: revision + 1 },
      ConditionExpression: revision === 0 ? "attribute_not_exists(revision)" : "revision = :revision",
      ExpressionAttributeValues: revision === 0 ? undefined : { ":revision": revision },
    },
  },
});

/** A message that records when it is sent, and whether it was stored by then. */
function messageTo(sent: { bucket: string; wasStored: boolean }[]): OutboxMessage {
  const bucket = randomUUID();
  const message: OutboxMessage = {
    key: { lane: bucket, messageId: bucket },
    isDeferred: false,
    write: put(bucket, 0),
    commitAlone: async (client) => {
      await transact(client, [put(bucket, 0)]);
      return [message];
    },
    send: async () => {
      sent.push({ bucket, wasStored: (await read(bucket)).revision === 1 });
    },
  };
  return message;
}

const config = {
  settings: parseSettings({}),
  tableName: (name: string) => `test-${name}`,
  queueUrl: () => "http://127.0.0.1:1/000000000000/no-such-queue",
};
const outbox = new Outbox({ config, clock: systemClock, log: createLog("test", "CRITICAL") });
const worker = new OutboxWorker(storeContext({ config, clock: systemClock }));

/** A message of a group of its own. */
function newMessage(payload: object) {
  const message = outbox.message("events", payload, { group: randomUUID() });
  const { lane, messageId } = message.write.item.Put?.Item ?? {};
  const key = { lane: String(lane), messageId: String(messageId) };
  return { message, key, commitIt: () => commit(dynamo, { messages: [message] }) };
}

/** The messages that a worker finds by one or several nudges. */
async function pendingAt(
  nudges: LaneNudge | readonly LaneNudge[],
  { isRepeated = false, isBehind = false } = {},
): Promise<OutboxItem[]> {
  const items: OutboxItem[] = [];
  for await (const item of worker.pendingOf([nudges].flat(), { isRepeated, isBehind })) items.push(item);
  return items;
}

/** Commits messages of one group. @returns their nudges, which have not been sent */
async function commitToLane(count: number): Promise<LaneNudge[]> {
  const group = randomUUID();
  const messages = Array.from({ length: count }, (_, index) =>
    outbox.message("events", { number: index + 1 }, { group }),
  );
  await commit(dynamo, { messages });
  return messages.map(({ key }) => key);
}

const numbersOf = (items: readonly OutboxItem[]) =>
  items.map(({ payload }) => (payload as { number: number }).number);

const countParts = async ({ messageId }: OutboxKey) => {
  const { Count } = await dynamo.send(
    new QueryCommand({
      TableName: "test-outbox",
      KeyConditionExpression: "lane = :lane",
      ExpressionAttributeValues: { ":lane": `parts#${messageId}` },
      ConsistentRead: true,
    }),
  );
  return Count;
};

/** DynamoDB's actions during a task, in order. */
async function actionsDuring(task: () => Promise<unknown>, choose?: (call: AwsCall) => Fault | undefined) {
  const actions: string[] = [];
  const endFaults = injectFaults((call) => {
    if (call.service === "dynamodb") actions.push(call.action);
    return choose?.(call);
  });
  await task().finally(endFaults);
  return actions;
}

const large = { text: "x".repeat(5_500_000) };

describe("a nudge", () => {
  it("finds the messages of its lane up to its own", async () => {
    const nudges = await commitToLane(3);
    expect(numbersOf(await pendingAt(nudges[1] as LaneNudge))).toEqual([1, 2]);
  });

  it("leaves nothing to read for those after it when the worker is behind", async () => {
    const [first, second, third] = (await commitToLane(3)) as [LaneNudge, LaneNudge, LaneNudge];
    const found = await pendingAt(first, { isBehind: true });
    expect(numbersOf(found)).toEqual([1, 2, 3]);
    await worker.completeAll(found);
    expect(await actionsDuring(() => Promise.all([pendingAt(second), pendingAt(third)]))).toEqual([]);
  });

  it("finds messages that a worker that was behind has left unfinished", async () => {
    const [first, second] = (await commitToLane(2)) as [LaneNudge, LaneNudge];
    await worker.completeAll((await pendingAt(first, { isBehind: true })).slice(0, 1));
    expect(numbersOf(await pendingAt(second))).toEqual([2]);
  });

  it("finds messages committed before one that a worker handled ahead of its nudge", async () => {
    const group = randomUUID();
    const messageAfter = (milliseconds: number): RevocableMessage =>
      outbox.message("events", { number: milliseconds }, { group, time: Date.now() + milliseconds });
    const [first, late, ahead] = [messageAfter(0), messageAfter(1), messageAfter(2)];
    await commit(dynamo, { messages: [first, ahead] });
    await worker.completeAll(await pendingAt(first.key, { isBehind: true }));
    await commit(dynamo, { messages: [late] });
    expect(numbersOf(await pendingAt(ahead.key))).toEqual([]);
    expect(numbersOf(await pendingAt([late.key, ahead.key]))).toEqual([1]);
    expect(numbersOf(await pendingAt({ ...ahead.key, isForSeveral: true }))).toEqual([1]);
  });

  it("finds the same messages after a failure, even if others have come in between", async () => {
    const nudges = await commitToLane(20);
    const [first] = nudges as [LaneNudge];
    const found = numbersOf(await pendingAt(first, { isBehind: true }));
    const group = first.lane.slice(laneOf("events", "").length);
    const early = [1, 2].map(() =>
      outbox.message("events", { number: 0 }, { group, time: Date.now() - 1000 }),
    );
    await commit(dynamo, { messages: early });
    const again = numbersOf(await pendingAt(first, { isBehind: true, isRepeated: true }));
    expect(again).toEqual([0, 0, ...found]);
  });

  it("finds all messages up to its own in a long lane, and few after it", async () => {
    const nudges = await commitToLane(30);
    expect(numbersOf(await pendingAt(nudges[0] as LaneNudge, { isBehind: true }))).toHaveLength(20);
    expect(numbersOf(await pendingAt(nudges[24] as LaneNudge, { isBehind: true }))).toHaveLength(25);
  });
});

describe("a message without other writes", () => {
  it("is committed by one put", async () => {
    const { key, commitIt } = newMessage({ number: 1 });
    expect(await actionsDuring(commitIt)).toEqual(["PutItem"]);
    expect(await pendingAt(key)).toMatchObject([{ payload: { number: 1 }, deliveries: 0 }]);
  });

  it("is marked as possibly handled when the first answer is lost", async () => {
    const { key, commitIt } = newMessage({ number: 1 });
    const actions = await actionsDuring(commitIt, ({ isLastAttempt }) =>
      isLastAttempt ? "answer-lost" : undefined,
    );
    expect(actions).toEqual(["PutItem", "PutItem"]);
    expect(await pendingAt(key)).toMatchObject([{ payload: { number: 1 }, deliveries: 1 }]);
  });
});

describe("a message larger than a transaction", () => {
  it("exists with all of its parts from the commit until it is handled", async () => {
    const { key, commitIt } = newMessage(large);
    expect(await actionsDuring(commitIt)).toEqual(["BatchWriteItem", "PutItem"]);
    const items = await pendingAt(key);
    expect(items.map(({ payload }) => payload)).toEqual([large]);

    await worker.completeAll(items);
    expect(await pendingAt(key)).toEqual([]);
    expect(await countParts(key)).toBe(0);
  });

  it("cannot be found when its sender dies before the commit", async () => {
    const { key, commitIt } = newMessage(large);
    const dying = actionsDuring(commitIt, ({ action }) => (action === "PutItem" ? "dies-before" : undefined));
    await expect(dying).rejects.toThrow("dies");
    expect(await pendingAt(key)).toEqual([]);
    expect(await countParts(key)).toBeGreaterThan(0);
  });

  it("leaves no parts when a stale read refuses its change", async () => {
    const { message, key } = newMessage(large);
    const bucket = randomUUID();
    await change(deps, async (attempt) => ({
      writes: [put(bucket, attempt === 1 ? 1 : 0)],
      messages: attempt === 1 ? [message] : [],
    }));
    expect(await countParts(key)).toBe(0);
  });

  it("is not handled again when it comes back because an answer was lost", async () => {
    const { key, commitIt } = newMessage(large);
    await commitIt();
    const stored = await dynamo.send(new GetCommand({ TableName: "test-outbox", Key: key }));
    await worker.completeAll(await pendingAt(key));
    await dynamo.send(new PutCommand({ TableName: "test-outbox", Item: stored.Item }));

    expect(await pendingAt(key)).toEqual([]);
    expect((await dynamo.send(new GetCommand({ TableName: "test-outbox", Key: key }))).Item).toBeUndefined();
  });
});

describe("a change", () => {
  it("stores its messages with its writes before it sends them", async () => {
    const bucket = randomUUID();
    const sent: { bucket: string; wasStored: boolean }[] = [];
    const result = await change(deps, async () => ({
      writes: [put(bucket, 0)],
      messages: [messageTo(sent), messageTo(sent)],
      result: "done",
    }));
    expect(result).toBe("done");
    expect(await read(bucket)).toMatchObject({ revision: 1 });
    expect(sent.map(({ wasStored }) => wasStored)).toEqual([true, true]);
  });

  it("decides again when another change was faster, and sends only what was committed", async () => {
    const bucket = randomUUID();
    const sent: { bucket: string; wasStored: boolean }[] = [];
    const bothHaveRead = Promise.withResolvers<void>();
    let decisions = 0;
    const increment = () =>
      change(deps, async (attempt) => {
        const { revision } = await read(bucket);
        if (++decisions === 2) bothHaveRead.resolve();
        if (attempt === 1) await bothHaveRead.promise;
        return { writes: [put(bucket, revision)], messages: [messageTo(sent)], result: revision + 1 };
      });
    const results = await Promise.all([increment(), increment()]);
    expect(results.toSorted()).toEqual([1, 2]);
    expect(await read(bucket)).toMatchObject({ revision: 2 });
    expect(decisions).toBe(3);
    expect(sent.map(({ wasStored }) => wasStored)).toEqual([true, true]);
  });

  it.each([
    ["conflicts", ["answer-lost", "conflicts"], {}],
    ["conflicts in a crowd", ["answer-lost", "conflicts"], { isRetriedOnConflict: false }],
    ["fails", ["answer-lost", "failed", "failed"], {}],
    ["loses its answer every time", ["answer-lost", "answer-lost", "answer-lost"], {}],
    ["is throttled", ["answer-lost", "throttled", "throttled"], {}],
  ] satisfies [string, Fault[], object][])(
    "is decided and committed once when its answer is lost and its repetition %s",
    async (_, faults, options) => {
      const bucket = randomUUID();
      const sent: { bucket: string; wasStored: boolean }[] = [];
      const left: Fault[] = [...faults];
      let decisions = 0;
      const endFaults = injectFaults(({ action, body }) =>
        action === "TransactWriteItems" && body.includes(bucket) ? left.shift() : undefined,
      );
      const decide = async () => {
        decisions++;
        const { revision } = await read(bucket);
        return { writes: [put(bucket, revision)], messages: [messageTo(sent)] };
      };
      await change(deps, decide, options).finally(endFaults);
      expect({ decisions, left, sent: sent.length }).toEqual({ decisions: 1, left: [], sent: 1 });
      expect(await read(bucket)).toMatchObject({ revision: 1 });
    },
  );

  it("is committed once when its answer is lost and the SDK waits as long as it can before it gives up", async () => {
    const bucket = randomUUID();
    const left: Fault[] = ["answer-lost", "throttled", "throttled"];
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes(bucket) ? left.shift() : undefined,
    );
    const longestPauses = vi.spyOn(Math, "random").mockReturnValue(0.999);
    onTestFinished(() => {
      endFaults();
      longestPauses.mockRestore();
    });
    await change(deps, async () => ({ writes: [put(bucket, 0)] }));
    expect({ left, ...(await read(bucket)) }).toMatchObject({ left: [], revision: 1 });
  });

  it("gives up after seconds when nobody changes the refusing item", async () => {
    const bucket = randomUUID();
    const startedAt = performance.now();
    const hopeless = change(deps, async () => ({ writes: [put(bucket, 7)] }));
    await expect(hopeless).rejects.toThrow(StaleReadError);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it("is repeated for longer while others change the item", async () => {
    const bucket = randomUUID();
    const startedAt = performance.now();
    await change(deps, async () => {
      const { revision } = await read(bucket);
      const isContended = performance.now() - startedAt < 2500 || revision < 6;
      if (isContended) await transact(dynamo, [put(bucket, revision)]);
      return { writes: [put(bucket, revision)] };
    });
    expect((await read(bucket)).revision).toBeGreaterThan(5);
  });

  it("sends only the newest message of a lane, because a worker also handles the earlier ones", async () => {
    const sent: string[] = [];
    const messageIn = (lane: string, messageId: string, isDeferred = false): OutboxMessage => ({
      ...messageTo([]),
      key: { lane, messageId },
      isDeferred,
      send: async ({ isForSeveral } = {}) =>
        void sent.push([lane, messageId, isForSeveral ? "and others" : "alone"].join(" ")),
    });
    await change(deps, async () => ({
      messages: [
        messageIn("a", "2"),
        messageIn("a", "1"),
        messageIn("b", "1"),
        messageIn("b", "2", true),
        messageIn("c", "1", true),
      ],
    }));
    expect(sent.toSorted()).toEqual(["a 2 and others", "b 1 alone"]);
  });

  it("names all messages of a new lane, so that a worker reads no others", async () => {
    const group = randomUUID();
    const messages = [1, 2].map((number) =>
      outbox.message("events", { number }, { group, isFirst: number === 1 }),
    );
    const nudges: LaneNudge[] = [];
    const endFaults = injectFaults(({ service, body }) => {
      if (service !== "sqs" || !body.includes(group)) return undefined;
      nudges.push(laneNudge.parse(JSON.parse(JSON.parse(body).MessageBody)));
      return "ignored";
    });
    await change(deps, async () => ({ messages }));
    endFaults();
    const [first, second] = messages.map(({ key }) => key);
    expect(nudges).toEqual([{ ...second, before: [first?.messageId], isForSeveral: true }]);
    const [nudge] = nudges as [LaneNudge];
    const actions = await actionsDuring(async () => {
      expect(await pendingAt(nudge)).toMatchObject([{ payload: { number: 1 } }, { payload: { number: 2 } }]);
    });
    expect(actions).toEqual(["BatchGetItem"]);
    await worker.complete(nudge);
    expect(await pendingAt(nudge)).toMatchObject([{ payload: { number: 1 } }]);
  });

  it("sends enough nudges for all messages of a lane, because a worker handles a limited number", async () => {
    let sent = 0;
    const messages = Array.from(
      { length: messagesPerNudge + 1 },
      (_, number): OutboxMessage => ({
        ...messageTo([]),
        key: { lane: "a", messageId: String(number).padStart(3, "0") },
        send: async () => void sent++,
      }),
    );
    await change(deps, async () => ({ messages }));
    expect(sent).toBe(2);
  });

  it("sends the nudges of one queue in one call", async () => {
    const sent: string[] = [];
    const messages = [1, 2, 3].map((number) => outbox.message("search-index", { number }));
    const endFaults = injectFaults(({ service, action, body }) => {
      if (service !== "sqs" || !messages.some(({ key }) => body.includes(key.messageId))) return undefined;
      sent.push(action);
      return "ignored";
    });
    await change(deps, async () => ({ messages }));
    endFaults();
    expect(sent).toEqual(["SendMessageBatch"]);
  });

  it("stays committed when a send fails, and leaves the message in the outbox", async () => {
    const bucket = randomUUID();
    const message = outbox.message("search-index", { userId: randomUUID() });
    await change(deps, async () => ({ writes: [put(bucket, 0)], messages: [message] }));
    expect(await read(bucket)).toMatchObject({ revision: 1 });
    const { lane, messageId } = message.write.item.Put?.Item ?? {};
    const stored = new GetCommand({ TableName: "test-outbox", Key: { lane, messageId } });
    expect((await dynamo.send(stored)).Item).toMatchObject({ deliveries: 0 });
  });

  it("writes and sends nothing when there is nothing to do", async () => {
    await expect(change(deps, async () => undefined)).resolves.toBeUndefined();
    await expect(change(deps, async () => ({ result: "as it was" }))).resolves.toBe("as it was");
  });

  it("fails for good when a write is refused for another reason than a stale read", async () => {
    const bucket = randomUUID();
    const sent: { bucket: string; wasStored: boolean }[] = [];
    const refused = { ...put(bucket, 7), onRejected: () => new RangeError("refused") };
    let attempts = 0;
    const refusal = change(deps, async (attempt) => {
      attempts = attempt;
      return { writes: [refused], messages: [messageTo(sent)], afterCommit: () => Promise.reject() };
    });
    await expect(refusal).rejects.toThrow(RangeError);
    expect(attempts).toBe(1);
    expect(sent).toEqual([]);
  });

  it("runs `afterCommit` once, after the commit", async () => {
    const bucket = randomUUID();
    const found: number[] = [];
    await change(deps, async (attempt) => ({
      writes: [put(bucket, attempt === 1 ? 1 : 0)],
      afterCommit: async () => found.push((await read(bucket)).revision),
    }));
    expect(found).toEqual([1]);
  });
});

describe("combined changes", () => {
  it("keep the order of their writes, messages and parts", () => {
    const [first, second] = [put("a", 0), put("b", 0)];
    const [early, late] = [messageTo([]), messageTo([])];
    const [part, other] = [
      { store: vi.fn(), discard: vi.fn() },
      { store: vi.fn(), discard: vi.fn() },
    ];
    const { writes, messages, parts } = combine(
      { writes: [first], messages: [early], parts: [part] },
      { writes: [second], messages: [late], parts: [other] },
    );
    expect(writes).toEqual([first, second]);
    expect(messages).toEqual([early, late]);
    expect(parts).toEqual([part, other]);
  });

  it("skip undefined decisions", () => {
    const write = put("a", 0);
    expect(combine(undefined, { writes: [write] }, {})).toEqual({ writes: [write], messages: [] });
  });

  it("run the tasks of all after one commit", async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const found: number[] = [];
    const changeOf = (bucket: string) => ({
      writes: [put(bucket, 0)],
      afterCommit: async () => found.push((await read(one)).revision, (await read(other)).revision),
    });
    await change(deps, async () => combine(changeOf(one), changeOf(other)));
    expect(found).toEqual([1, 1, 1, 1]);
  });
});

describe("the id of the request that has caused a message", () => {
  const context = storeContext({ config, clock: systemClock });
  const worker = new OutboxWorker(context);
  const parked = new ParkedMessages(context);

  it("is stored with the message, and kept while that is parked and put back", async () => {
    const message = onBehalfOf("request-1", () => outbox.message("mail", { to: "nobody" }));
    await commit(dynamo, { messages: [message] });
    expect(await worker.read(message.key)).toMatchObject({ requestId: "request-1" });

    await parked.park(message.key, new Error("unreadable"));
    expect(await worker.read(message.key)).toBeUndefined();
    await parked.redrive("mail", message.key.messageId);
    expect(await worker.read(message.key)).toMatchObject({ requestId: "request-1" });
  });

  it("is absent where no request has caused it", async () => {
    const message = outbox.message("mail", { to: "nobody" });
    await commit(dynamo, { messages: [message] });
    expect(await worker.read(message.key)).not.toHaveProperty("requestId");
  });
});
