import { randomUUID } from "node:crypto";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, onTestFinished } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { eventSource, upTo } from "../../test/support/events.ts";
import { injectFaults } from "../../test/support/faults.ts";
import { stackConfig } from "../../test/support/stack-config.ts";
import { type LogEvent, LogWriter, toDrafts } from "./log-writer.ts";
import { sequenceKey, streams } from "./notification.ts";

const source = eventSource();
const { store: notifications } = source;
const dynamo = createDynamo();
const table = stackConfig("test").tableName("notifications");
const newWriter = (clock = systemClock) => new LogWriter({ notifications, clock });

const append = async (stream: string, events: readonly LogEvent[], writer = newWriter()) =>
  (await writer.append(new Map([[stream, events]]))).get(stream);

/** Appends events to logs of their own, one to each. */
const appendEach = (streams: readonly string[], writer: LogWriter) =>
  writer.append(new Map(streams.map((stream, index) => [stream, [event(index)]])));

/** Names of calls about a log while a task runs. */
async function callsAbout(text: string, task: () => Promise<unknown>): Promise<string[]> {
  const actions: string[] = [];
  const end = interceptAwsCalls(({ action, body }, send) => {
    if (body.includes(text)) actions.push(action);
    return send();
  });
  await task().finally(end);
  return actions;
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

  it("stores nothing twice after a writer has died, even if other events share a notification", async () => {
    const stream = newStream();
    const events = upTo(4).map((number) => event(number));
    await append(stream, events.slice(0, 3));
    const repeated = events.map((one) => ({ ...one, isRepeated: true }));
    const outcome = await append(stream, repeated.slice(1));
    expect(await source.numbersIn(stream)).toEqual(upTo(4));
    expect(outcome?.notifications.map(({ notification }) => notification.position)).toEqual([1, 2]);
  });

  it("is searched no further back than to the event that may already be in it", async ({
    onTestFinished,
  }) => {
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

  it("continues after its end when others have written since", async () => {
    const stream = newStream();
    const [writer, other] = [newWriter(), newWriter()];
    await append(stream, separate([1, 2]), writer);
    await append(stream, separate([3, 4]), other);
    await append(stream, separate([5, 6]), writer);
    expect(await source.numbersIn(stream)).toEqual(upTo(6));
    expect(await positionsOf(stream)).toEqual(upTo(6));
  });

  it("begins again when its entries have expired, even for a writer that remembers the last one", async () => {
    const stream = newStream();
    let now = Date.now();
    const writer = newWriter(() => now);
    await append(stream, separate([1, 2]), writer);
    const { expiresAt = 0 } = (await notifications.newestOf(stream)) ?? {};
    for (const position of [1, 2].map(sequenceKey))
      await dynamo.send(new DeleteCommand({ TableName: table, Key: { stream, position } }));
    await append(stream, separate([3]));
    now = expiresAt * 1000;
    await append(stream, separate([4]), writer);
    expect(await positionsOf(stream)).toEqual([1, 2]);
    expect(await source.numbersIn(stream)).toEqual([3, 4]);
  });

  it("gets an event once when the answer to its insert was lost", async ({ onTestFinished }) => {
    const stream = newStream();
    const writer = newWriter();
    await append(stream, separate([1]), writer);
    onTestFinished(
      injectFaults(({ action, body, isFirstAttempt }) =>
        action === "BatchExecuteStatement" && isFirstAttempt && body.includes(stream)
          ? "answer-lost"
          : undefined,
      ),
    );
    const outcome = await append(stream, separate([2, 3]), writer);
    expect(outcome?.notifications.map(({ notification }) => notification.position)).toEqual([2, 3]);
    expect(await source.numbersIn(stream)).toEqual(upTo(3));
  });
});

describe("the end of a log", () => {
  it("is looked up once in the life of a writer", async () => {
    const stream = newStream();
    await append(stream, separate([1]));
    const writer = newWriter();
    const first = await callsAbout(stream, () => append(stream, separate([2]), writer));
    const second = await callsAbout(stream, () => append(stream, separate([3]), writer));
    expect(first).toEqual(["Query", "BatchExecuteStatement"]);
    expect(second).toEqual(["BatchExecuteStatement"]);
  });

  it("is looked up each time while others write to most logs", async () => {
    const logs = upTo(40).map(newStream);
    const [writer, other] = [newWriter(), newWriter()];
    for (const one of [writer, other]) await appendEach(logs, one);
    await appendEach(logs, writer);
    const [last = ""] = logs;
    expect(await callsAbout(last, () => appendEach(logs, writer))).toEqual([
      "Query",
      "BatchExecuteStatement",
    ]);
    // All ends were up to date, so memory is trusted again.
    expect(await callsAbout(last, () => appendEach(logs, writer))).toEqual(["BatchExecuteStatement"]);
    expect(await positionsOf(last)).toEqual(upTo(5));
  });

  it("is looked up for fifty logs at a time", async () => {
    let [running, most, count] = [0, 0, 0];
    const mark = randomUUID();
    onTestFinished(
      interceptAwsCalls(async ({ action, body }, send) => {
        if (action !== "Query" || !body.includes(mark)) return send();
        most = Math.max(most, ++running);
        count++;
        return send().finally(() => running--);
      }),
    );
    await appendEach(
      upTo(120).map((number) => `${newStream()}${mark}${number}`),
      newWriter(),
    );
    expect(count).toBe(120);
    expect(most).toBe(50);
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
      await append(stream, [first]);
      expect(await source.numbersIn(stream)).toEqual(when === "comes again" ? [1] : [2, 3, 1]);
    },
  );
});

it("a writer appends to the other logs when one cannot be read", async () => {
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

  it("is shared by events for one device despite other events in between, unless the device gets those, too", () => {
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
