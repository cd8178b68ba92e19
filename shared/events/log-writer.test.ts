import { randomUUID } from "node:crypto";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { eventSource, upTo } from "../../test/support/events.ts";
import { injectFaults } from "../../test/support/faults.ts";
import { stackConfig } from "../../test/support/stack-config.ts";
import { type LogEvent, LogWriter, toDrafts } from "./log-writer.ts";
import { sequenceKey, streams } from "./notification.ts";

const source = eventSource();
const { store: notifications } = source;
const dynamo = createDynamo();
const table = stackConfig("test").tableName("notifications");
const log = createLog("test", "CRITICAL");
const newWriter = () => new LogWriter({ notifications, log });

/** Appends events, and notes where the log ends. */
async function append(stream: string, events: readonly LogEvent[], writer = newWriter()) {
  const appended = await writer.append(new Map([[stream, events]]));
  await writer.noteEnds(appended);
  return appended.get(stream);
}
const newStream = () => streams.user(randomUUID());

const event = (number: number, facts: Partial<LogEvent> = {}): LogEvent => ({
  eventId: randomUUID(),
  committedAt: Date.now(),
  isRepeated: false,
  text: JSON.stringify({ number }),
  content: { payload: JSON.stringify([{ number }]) },
  audience: "",
  ...facts,
});

/** Events that never share a notification with the previous one. */
const separate = (numbers: readonly number[]) =>
  numbers.map((number) => event(number, { audience: `${number}` }));

async function positionsOf(stream: string): Promise<number[]> {
  const positions: number[] = [];
  for await (const { position } of notifications.after(stream, 0)) positions.push(position);
  return positions;
}

const endKey = (stream: string) => ({ stream: streams.end(stream), position: sequenceKey(0) });

describe.concurrent("a log", () => {
  it("gets waiting events as one notification, numbered after the previous one", async () => {
    const stream = newStream();
    const writer = newWriter();
    await append(
      stream,
      upTo(3).map((number) => event(number)),
      writer,
    );
    await append(stream, separate([4, 5]), writer);
    expect(await source.numbersIn(stream)).toEqual(upTo(5));
    expect(await positionsOf(stream)).toEqual([1, 2, 3]);
  });

  it("has no gaps, and every event once, when several writers append concurrently", async () => {
    const stream = newStream();
    const writers = upTo(8).map((number) => {
      const numbers = upTo(5).map((step) => number * 10 + step);
      return append(stream, separate(numbers));
    });
    const outcomes = await Promise.all(writers);
    const stored = outcomes.flatMap((outcome) => outcome?.notifications ?? []);
    expect(await positionsOf(stream)).toEqual(upTo(stored.length));
    const numbers = await source.numbersIn(stream);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.length).toBe(stored.length);
  });

  it("stores nothing twice when a writer died, whichever events shared a notification", async () => {
    const stream = newStream();
    const events = upTo(4).map((number) => event(number));
    await append(stream, events.slice(0, 3));
    const repeated = events.map((one) => ({ ...one, isRepeated: true }));
    const outcome = await append(stream, repeated.slice(1));
    expect(await source.numbersIn(stream)).toEqual(upTo(4));
    expect(outcome?.notifications.map(({ notification }) => notification.position)).toEqual([1, 2]);
  });

  it("is read back no further than to the event that may already be in it", async ({ onTestFinished }) => {
    const stream = newStream();
    const [earlier, wanted] = [separate([1, 2]), event(3)];
    await append(stream, [...earlier, wanted]);
    onTestFinished(
      injectFaults(({ action, body }) => {
        const isAboutLog = body.includes(stream) && !body.includes(wanted.eventId);
        const isFirstRead = action === "Query" && !body.includes("ExclusiveStartKey");
        return isAboutLog && !isFirstRead ? "denied" : undefined;
      }),
    );
    const outcome = await newWriter().append(new Map([[stream, [{ ...wanted, isRepeated: true }]]]));
    expect(outcome.get(stream)).toMatchObject({ notifications: [{ notification: { position: 3 } }] });
    expect(outcome.get(stream)?.error).toBeUndefined();
  });

  it.each(["is missing", "is behind"])("continues after its end when the note about it %s", async (state) => {
    const stream = newStream();
    await append(stream, separate([1, 2]));
    const [first] = await Promise.all([notifications.at(stream, 1)]);
    if (state === "is missing")
      await dynamo.send(new DeleteCommand({ TableName: table, Key: endKey(stream) }));
    else {
      const note = { ...endKey(stream), end: 1, id: first?.id, expiresAt: first?.expiresAt };
      await dynamo.send(new PutCommand({ TableName: table, Item: note }));
    }
    await append(stream, separate([3, 4]));
    expect(await source.numbersIn(stream)).toEqual(upTo(4));
    expect(await positionsOf(stream)).toEqual(upTo(4));
  });
});

describe("the first event of a log", () => {
  it("is appended without looking for earlier ones", async () => {
    const stream = newStream();
    onTestFinished(
      injectFaults(({ action, body }) =>
        action === "Query" && body.includes(stream) ? "denied" : undefined,
      ),
    );
    const outcome = await append(stream, [event(1, { isFirst: true })]);
    expect(outcome?.error).toBeUndefined();
    expect(outcome?.notifications.map(({ notification }) => notification.position)).toEqual([1]);
  });

  it.each(["comes again", "is appended after earlier ones"])(
    "is in the log once, under a number of its own, when it %s",
    async (when) => {
      const stream = newStream();
      const first = event(1, { isFirst: true });
      await append(stream, when === "comes again" ? [first] : separate([2, 3]));
      await dynamo.send(new DeleteCommand({ TableName: table, Key: endKey(stream) }));
      await append(stream, [first]);
      expect(await source.numbersIn(stream)).toEqual(when === "comes again" ? [1] : [2, 3, 1]);
    },
  );
});

it("appends to the other logs when one cannot be read", async () => {
  const [broken, healthy] = [newStream(), newStream()];
  onTestFinished(
    injectFaults(({ action, body }) => (action === "Query" && body.includes(broken) ? "denied" : undefined)),
  );
  const outcome = await newWriter().append(
    new Map([
      [broken, [event(1)]],
      [healthy, [event(2)]],
    ]),
  );
  expect(outcome.get(broken)?.error).toMatchObject({ name: "AccessDeniedException" });
  expect(outcome.get(healthy)?.error).toBeUndefined();
  expect(await source.numbersIn(healthy)).toEqual([2]);
});

describe("a notification", () => {
  it("is shared only by events for the same devices, and only up to a size", () => {
    const large = "x".repeat(10_000);
    const drafts = toDrafts([
      event(1),
      event(2),
      event(3, { audience: "others" }),
      event(4),
      event(5, { text: undefined, content: { payloadId: randomUUID() } }),
      event(6, { text: large }),
      event(7, { text: large }),
    ]);
    expect(drafts.map((draft) => draft.length)).toEqual([2, 1, 1, 1, 1, 1]);
  });

  it("is shared by events for one device despite others in between, unless the device gets those, too", () => {
    const to = (number: number, ...clientIds: string[]) =>
      event(number, { clientIds, audience: clientIds.join() });
    const drafts = toDrafts([
      to(1, "aa"),
      to(2, "bb"),
      to(3, "aa"),
      to(4, "bb"),
      to(5, "aa", "bb"),
      to(6, "aa"),
      to(7, "cc"),
      event(8),
      to(9, "cc"),
    ]);
    const numbers = drafts.map((draft) => draft.map(({ text = "" }) => JSON.parse(text).number));
    expect(numbers).toEqual([[1, 3], [2, 4], [5], [6], [7], [8], [9]]);
  });
});
