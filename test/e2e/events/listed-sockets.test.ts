import { randomUUID } from "node:crypto";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import {
  type EventSource,
  eventSource,
  newReader,
  numbersIn,
  type Reader,
  upTo,
} from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type OwnStack, ownStack, stopOwnStacks } from "../../support/own-stack.ts";
import { openSocket, type TestSocket, terminateSockets } from "../../support/socket.ts";
import { stackConfig } from "../../support/stack-config.ts";

let stack: OwnStack;
let events: EventSource;
beforeAll(async () => {
  stack = await ownStack();
  events = eventSource(stack);
});
afterAll(async () => {
  terminateSockets();
  await stopOwnStacks();
});

/** Sockets of one or two recipients are read without their lists. */
const newReaders = (count = 3): Promise<Reader[]> => Promise.all(upTo(count).map(() => newReader(stack)));

const open = (reader: Reader, path = "/await") => openSocket(path, reader, stack);
const openMany = (reader: Reader, count: number) => Promise.all(upTo(count).map(() => open(reader)));

const idsInList = async ({ userId }: Reader, others: readonly Reader[]): Promise<string[] | undefined> => {
  const reach = await events.sockets.reachOf([userId, ...others.map((other) => other.userId)], new Set());
  return reach.get(userId)?.sockets.map(({ socketId }) => socketId);
};

const numbersOf = (sockets: readonly TestSocket[]) => sockets.map(({ frames }) => numbersIn(frames));

/** Replace the list of a user's sockets by the mark of a version without lists. */
const forgetList = ({ userId }: Reader) =>
  createDynamo().send(
    new PutCommand({
      TableName: stackConfig(stack.prefix).tableName("sockets"),
      Item: {
        owner: `user#${userId}`,
        entry: "has-sockets",
        purgeAtSeconds: Math.floor(Date.now() / 1000) + 7800,
      },
    }),
  );

/** Remove a socket as a version without lists did. */
async function removeRecords({ userId, socketId }: { userId: string; socketId: string }): Promise<void> {
  const dynamo = createDynamo();
  const TableName = stackConfig(stack.prefix).tableName("sockets");
  const keys = [
    { owner: `user#${userId}`, entry: `socket#${socketId}` },
    { owner: `socket#${socketId}`, entry: "owner" },
  ];
  await Promise.all(keys.map((Key) => dynamo.send(new DeleteCommand({ TableName, Key }))));
}

describe.concurrent("an event for many", () => {
  it("reaches all of their sockets, which are found by a single read", async ({ onTestFinished }) => {
    const readers = await newReaders(5);
    const sockets = await Promise.all(readers.slice(0, 4).map((reader) => open(reader)));
    const numbered = await open(readers[4] as Reader, "/events");
    await events.publish({ number: 1, to: readers });
    await Promise.all([...sockets, numbered].map((socket) => socket.first(1)));
    expect(numbersOf(sockets)).toEqual(sockets.map(() => [1]));
    expect(numbered.frames).toMatchObject([
      { data: { event: { payload: [{ number: 1 }] }, delivery_tag: 1 } },
    ]);

    const userIds = readers.map(({ userId }) => userId);
    const actions: string[] = [];
    onTestFinished(
      interceptAwsCalls(({ action, body }, send) => {
        if (userIds.some((userId) => body.includes(userId))) actions.push(action);
        return send();
      }),
    );
    const reach = await events.sockets.reachOf(userIds, new Set());
    expect(actions).toEqual(["BatchGetItem"]);
    expect(userIds.map((userId) => reach.get(userId)?.sockets.length)).toEqual([1, 1, 1, 1, 1]);
  });

  it("reaches all sockets that a user opens at the same moment, as long as they are open", async () => {
    const readers = await newReaders();
    const [reader, ...others] = readers as [Reader, ...Reader[]];
    const sockets = await openMany(reader, 8);
    await events.publish({ number: 1, to: readers });
    await Promise.all(sockets.map((socket) => socket.first(1)));
    const [closing, staying] = [sockets.slice(0, 4), sockets.slice(4)];
    const [opened] = await Promise.all([openMany(reader, 4), ...closing.map((socket) => socket.close())]);
    await eventually(async () => {
      expect((await idsInList(reader, others))?.toSorted()).toEqual(
        (await events.socketsOf(reader)).toSorted(),
      );
      expect(await events.socketsOf(reader)).toHaveLength(8);
    });
    await events.publish({ number: 2, to: readers });
    await Promise.all([
      ...opened.map((socket) => socket.first(1)),
      ...staying.map((socket) => socket.first(2)),
    ]);
    expect(numbersOf(opened)).toEqual(opened.map(() => [2]));
    expect(numbersOf(closing)).toEqual(closing.map(() => [1]));
  });

  it("reaches sockets while others of the same users open and close", async () => {
    const readers = await newReaders();
    const staying = await Promise.all(readers.map((reader) => open(reader)));
    const publishing = (async () => {
      for (const number of upTo(20))
        await events.publish({ number, to: readers, sender: readers[0]?.userId });
    })();
    await Promise.all(
      readers.map(async (reader) => {
        for (let round = 0; round < 4; round++) await (await open(reader)).close();
      }),
    );
    await publishing;
    const received = await Promise.all(staying.map((socket) => socket.next(isLast)));
    expect(received).toHaveLength(3);
    expect(numbersOf(staying)).toEqual(staying.map(() => upTo(20)));
  });

  it("reaches sockets that a version without lists has recorded, and those opened afterwards", async () => {
    const readers = await newReaders();
    const [reader, ...others] = readers as [Reader, ...Reader[]];
    const former = await open(reader);
    await forgetList(reader);
    await events.publish({ number: 1, to: readers });
    expect(numbersIn(await former.first(1))).toEqual([1]);
    const latter = await open(reader);
    expect(await idsInList(reader, others)).toBeUndefined();
    await events.publish({ number: 2, to: readers });
    expect(numbersIn(await former.first(2))).toEqual([1, 2]);
    expect(numbersIn(await latter.first(1))).toEqual([2]);
  });

  it("reaches more sockets of a user than a list holds", async () => {
    const readers = await newReaders();
    const sockets = await openMany(readers[0] as Reader, 30);
    await events.publish({ number: 1, to: readers });
    await Promise.all(sockets.map((socket) => socket.first(1)));
    expect(numbersOf(sockets)).toEqual(sockets.map(() => [1]));
  });

  it.each([
    { endpoint: "await", state: "is long gone" },
    { endpoint: "events", state: "is long gone" },
    { endpoint: "await", state: "a version without lists has removed" },
    { endpoint: "events", state: "a version without lists has removed" },
  ] as const)("takes a socket on /$endpoint from the list that $state", async ({ endpoint, state }) => {
    const readers = await newReaders();
    const [reader, ...others] = readers as [Reader, ...Reader[]];
    const { userId } = reader;
    const socket = await open(reader);
    const socketId = randomUUID();
    await events.sockets.open({ socketId, endpoint, userId, openedAt: stack.clock() - 60_000 });
    if (state !== "is long gone") await removeRecords({ userId, socketId });
    expect(await idsInList(reader, others)).toHaveLength(2);
    let number = 0;
    await eventually(async () => {
      // Taking it from the list may fail, and a repeated delivery to two users reads no lists: the next event does it.
      await events.publish({ number: ++number, to: readers });
      await socket.first(number);
      expect(await idsInList(reader, others)).toEqual(await events.socketsOf(reader));
      expect(await events.socketsOf(reader)).toHaveLength(1);
    });
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a frame is whatever arrived
const isLast = (frame: any) => numbersIn([frame]).includes(20);

describe("the list of a user's open sockets", () => {
  it("is complete again once the sockets are gone that a version without lists has recorded", async () => {
    const own = await ownStack();
    const source = eventSource(own);
    const [reader, ...others] = (await Promise.all(upTo(3).map(() => newReader(own)))) as [
      Reader,
      ...Reader[],
    ];
    const users = [reader, ...others].map(({ userId }) => userId);
    const listed = async () => (await source.sockets.reachOf(users, new Set())).get(reader.userId)?.sockets;
    const dynamo = createDynamo();
    const Item = { owner: `user#${reader.userId}`, entry: "has-sockets", purgeAtSeconds: 2 ** 31 };
    await dynamo.send(new PutCommand({ TableName: stackConfig(own.prefix).tableName("sockets"), Item }));
    const socket = { endpoint: "await", userId: reader.userId } as const;
    await source.sockets.open({ ...socket, socketId: "first", openedAt: own.clock() });
    expect(await listed()).toBeUndefined();
    own.advance(3600);
    await source.sockets.open({ ...socket, socketId: "second", openedAt: own.clock() });
    expect(await listed()).toBeUndefined();
    own.advance(3600 + 700);
    expect((await listed())?.map(({ socketId }) => socketId)).toEqual(["second"]);
    own.advance(3600);
    expect(await listed()).toEqual([]);
  });
});
