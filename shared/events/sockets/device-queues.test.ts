import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { eventSource, upTo } from "../../../test/support/events.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { injectFaults, withLostAnswers } from "../../../test/support/faults.ts";
import { stackConfig } from "../../../test/support/stack-config.ts";
import { streams } from "../notification.ts";
import { DeviceQueues, type DeviceSocket } from "./device-queues.ts";
import type { SocketPoster } from "./socket-poster.ts";

/** A clock that stands still, so that no lease of a live sender ends because the machine is slow. */
const startedAt = Date.now();
let isTimePassing = false;
const clock = () => (isTimePassing ? Date.now() : startedAt);

/** A clock for tests of leases that end. */
function letTimePass() {
  isTimePassing = true;
  onTestFinished(() => {
    isTimePassing = false;
  });
}

const source = eventSource({ clock });
const { store: notifications, sockets } = source;

const newSocket = ({ userId, openedAt }: Pick<DeviceSocket, "userId" | "openedAt">): DeviceSocket => ({
  socketId: randomUUID(),
  endpoint: "events",
  userId,
  clientId: "c0ffee",
  openedAt,
});

/** Queues whose sockets are open while they are in the set. */
function queuesOver(
  open: ReadonlySet<string>,
  onFrame: (tag: number, socketId: string, type: string) => unknown,
) {
  const poster: Pick<SocketPoster, "post" | "stateOf" | "close" | "fits" | "readableBytes"> = {
    async post(socketId, frame) {
      if (!open.has(socketId)) return "gone";
      const { type, data } = JSON.parse(frame);
      await onFrame(data?.delivery_tag, socketId, type);
      return "posted";
    },
    stateOf: async (socketId) => (open.has(socketId) ? "open" : "gone"),
    close: async () => "closed",
    fits: () => true,
    readableBytes: Number.POSITIVE_INFINITY,
  };
  return new DeviceQueues({ clock, notifications, sockets, poster: poster as SocketPoster });
}

it("a device's queue resumes when everything is acknowledged before the window is known to be full", async () => {
  const socket = newSocket({ userId: randomUUID(), openedAt: Date.now() });
  const { userId, clientId, socketId } = socket;
  const tags: number[] = [];
  const queues = queuesOver(new Set([socketId]), async (tag) => {
    tags.push(tag);
    if (tag === 500) await queues.acknowledge((await sockets.reread(socket)) as DeviceSocket, tag, true);
  });
  await sockets.createQueue(userId, clientId);
  await sockets.open(socket);
  await source.fill(streams.device(userId, clientId), upTo(520));
  await queues.start(socket);

  expect(tags).toEqual(upTo(520));
});

it("a device's queue moves to the next socket only once that one is open", async () => {
  const first = newSocket({ userId: randomUUID(), openedAt: Date.now() });
  const { userId, clientId } = first;
  const second = newSocket({ userId, openedAt: Date.now() + 1 });
  const open = new Set([first.socketId]);
  const got: string[] = [];
  const queues = queuesOver(open, (_, socketId) => got.push(socketId));
  await sockets.createQueue(userId, clientId);
  await sockets.open(first);
  await source.fill(streams.device(userId, clientId), [1]);
  await queues.start(first);
  await sockets.open(second);
  await queues.retire(first);
  expect(await source.socketsOf({ userId })).toEqual([second.socketId]);
  open.add(second.socketId);
  await queues.start(second);

  expect(got).toEqual([first.socketId, second.socketId]);
});

it("a device's queue moves to the next socket although DynamoDB's answers get lost", async () => {
  const first = newSocket({ userId: randomUUID(), openedAt: Date.now() });
  const { userId, clientId } = first;
  const second = newSocket({ userId, openedAt: Date.now() + 1 });
  const got: string[] = [];
  const queues = queuesOver(new Set([first.socketId, second.socketId]), (_, socketId) => got.push(socketId));
  await sockets.createQueue(userId, clientId);
  await sockets.open(first);
  await source.fill(streams.device(userId, clientId), [1]);
  await queues.start(first);
  await sockets.open(second);
  await withLostAnswers(() => queues.retire(first));

  expect(got).toEqual([first.socketId, second.socketId]);
});

const newEntry = (number: number) => ({
  eventId: randomUUID(),
  committedAt: Date.now(),
  isRepeated: false,
  payload: JSON.stringify([{ number }]),
});
const contentOf = (entry: ReturnType<typeof newEntry>) => ({ entry, payload: JSON.parse(entry.payload) });

/** A socket that has been sent a number of events, and whose frames go to `onFrame`. */
async function startedSocket({ sent }: { sent: number }, onFrame: (tag: number) => unknown) {
  const socket = newSocket({ userId: randomUUID(), openedAt: Date.now() });
  const { userId, clientId, socketId } = socket;
  const open = new Set([socketId]);
  let isStarted = false;
  const queues = queuesOver(open, (tag) => (isStarted ? onFrame(tag) : undefined));
  await sockets.createQueue(userId, clientId);
  await sockets.open(socket);
  await source.fill(streams.device(userId, clientId), upTo(sent));
  await queues.start(socket);
  isStarted = true;
  const active = await sockets.reread(socket);
  const enqueue = (number: number, target = active) =>
    queues.enqueue({ userId, clientId, active: target }, contentOf(newEntry(number)));
  return { queues, socket, active, enqueue, stream: streams.device(userId, clientId) };
}

it("a device's queue sends an event that follows the last one sent by two writes, without reading", async () => {
  const tags: number[] = [];
  const { active, enqueue } = await startedSocket({ sent: 1 }, (tag) => tags.push(tag));
  const actions: string[] = [];
  const endFaults = injectFaults(({ service, action, isFirstAttempt }) => {
    if (service === "dynamodb" && isFirstAttempt) actions.push(action);
    return undefined;
  });
  const next = await enqueue(2, active);
  await enqueue(3, next);
  endFaults();

  expect(tags).toEqual([2, 3]);
  expect(actions).toEqual(["PutItem", "UpdateItem", "PutItem", "UpdateItem"]);
});

it("a device's queue sends an event again when its sender died before the post", async () => {
  const tags: number[] = [];
  let dies = true;
  const { active, enqueue, queues, socket, stream } = await startedSocket({ sent: 1 }, (tag) => {
    if (dies) throw new Error("The function died");
    tags.push(tag);
  });
  const entry = newEntry(2);
  const { userId, clientId } = socket;
  await expect(queues.enqueue({ userId, clientId, active }, contentOf(entry))).rejects.toThrow("died");
  dies = false;
  const repeated = contentOf({ ...entry, isRepeated: true });
  const current = await sockets.reread(socket);
  await queues.enqueue({ userId, clientId, active: current }, repeated);
  await enqueue(3, current);

  expect(tags).toEqual([2, 3]);
  expect(await source.countIn(stream)).toBe(3);
});

it("a device's queue sends an event again while the socket is still leased by the sender that died", async () => {
  letTimePass();
  const tags: number[] = [];
  const { active, queues, socket } = await startedSocket({ sent: 1 }, (tag) => tags.push(tag));
  await sockets.lease(socket, 300);
  const { userId, clientId } = socket;
  await queues.enqueue({ userId, clientId, active }, contentOf({ ...newEntry(2), isRepeated: true }));

  expect(tags).toEqual([2]);
});

it("a device's queue leaves a repeated event to a sender with signs of life, however long that sends, and sends nothing twice", async () => {
  letTimePass();
  const isPosting = Promise.withResolvers<void>();
  const mayPost = Promise.withResolvers<void>();
  const tags: number[] = [];
  const { active, queues, socket } = await startedSocket({ sent: 1 }, async (tag) => {
    tags.push(tag);
    isPosting.resolve();
    await mayPost.promise;
  });
  const { userId, clientId } = socket;
  const repeat = (number: number) =>
    queues.enqueue({ userId, clientId, active }, contentOf({ ...newEntry(number), isRepeated: true }));
  const sending = repeat(2);
  await isPosting.promise;
  await repeat(3);
  expect(tags).toEqual([2]);
  mayPost.resolve();
  await sending;

  expect(tags).toEqual([2, 3]);
  expect(await sockets.reread(socket)).toMatchObject({ leasedUntil: 0, sentUpTo: 3 });
});

it("a device's queue starts a socket that is still leased by a sender that died while starting it", async () => {
  letTimePass();
  const socket = newSocket({ userId: randomUUID(), openedAt: Date.now() });
  const { userId, clientId, socketId } = socket;
  const tags: number[] = [];
  const queues = queuesOver(new Set([socketId]), (tag) => tags.push(tag));
  await sockets.createQueue(userId, clientId);
  await sockets.open(socket);
  await source.fill(streams.device(userId, clientId), [1]);
  await sockets.activate(socket);
  await sockets.lease(socket, 300);
  await queues.start(socket);

  expect(tags).toEqual([1]);
});

it("a device's queue sends each event once when several are appended to what was last read", async () => {
  const tags: number[] = [];
  const { enqueue, stream } = await startedSocket({ sent: 1 }, (tag) => tags.push(tag));
  await Promise.all(upTo(8).map((number) => enqueue(number)));

  expect(await source.countIn(stream)).toBe(9);
  expect(tags.toSorted((one, other) => one - other)).toEqual(upTo(9).slice(1));
});

it("a device's queue leaves an event to the active sender, which sends it in order", async () => {
  const tags: number[] = [];
  let enqueueLast: (() => Promise<unknown>) | undefined;
  const { active, enqueue, queues, socket } = await startedSocket({ sent: 1 }, async (tag) => {
    tags.push(tag);
    await enqueueLast?.();
  });
  const { userId, clientId } = socket;
  enqueueLast = async () => {
    enqueueLast = undefined;
    await enqueue(3, await sockets.reread(socket));
    expect(tags).toEqual([2]);
  };
  // An event that may have been stored before is sent by reading the queue.
  await queues.enqueue({ userId, clientId, active }, contentOf({ ...newEntry(2), isRepeated: true }));

  expect(tags).toEqual([2, 3]);
});

it("a device's queue sends nothing to a device that must first acknowledge missed events", async () => {
  const tags: number[] = [];
  const { enqueue, queues, socket } = await startedSocket({ sent: 1 }, (tag) => tags.push(tag));
  await sockets.updateSocket(socket, { awaitsFullSync: true });
  await enqueue(2);
  expect(tags).toEqual([]);

  await queues.acknowledgeFullSync((await sockets.reread(socket)) as DeviceSocket);
  expect(tags).toEqual([2]);
});

it("a device's queue stops at the window, and continues after an acknowledgement", async () => {
  const tags: number[] = [];
  const { active, enqueue, queues, socket } = await startedSocket({ sent: 498 }, (tag) => tags.push(tag));
  let current = active;
  for (const number of [499, 500, 501]) current = await enqueue(number, current);
  expect(tags).toEqual([499, 500]);

  await queues.acknowledge((await sockets.reread(socket)) as DeviceSocket, 3, true);
  expect(tags).toEqual([499, 500, 501]);
  await enqueue(502, await sockets.reread(socket));
  expect(tags).toEqual([499, 500, 501, 502]);
});

it.each([
  ["all up to a tag", true],
  ["a tag", false],
])(
  "a device's queue acknowledges with the tag of %s that was not sent yet only the events that were sent",
  async (_, isMultiple) => {
    const { active, queues, socket } = await startedSocket({ sent: 520 }, () => undefined);
    await queues.acknowledge(active as DeviceSocket, 510, isMultiple);
    await queues.retire((await sockets.reread(socket)) as DeviceSocket);
    const next = newSocket({ userId: socket.userId, openedAt: Date.now() });
    const tags: number[] = [];
    await sockets.open(next);
    await queuesOver(new Set([next.socketId]), (tag) => tags.push(tag)).start(next);

    expect(tags).toEqual(isMultiple ? upTo(520).slice(500) : upTo(500));
  },
);

it("a device's queue acknowledges nothing beyond the events that are being sent", async () => {
  const socket = newSocket({ userId: randomUUID(), openedAt: Date.now() });
  const { userId, clientId, socketId } = socket;
  const tags: number[] = [];
  const queues = queuesOver(new Set([socketId]), async (tag) => {
    tags.push(tag);
    if (tag === 2) await queues.acknowledge((await sockets.reread(socket)) as DeviceSocket, 1_000_000, true);
  });
  await sockets.createQueue(userId, clientId);
  await sockets.open(socket);
  await source.fill(streams.device(userId, clientId), upTo(250));
  await queues.start(socket);

  expect(tags).toEqual(upTo(250));
  expect(await sockets.reread(socket)).not.toHaveProperty("sendingUpTo");
});

it("a device's queue accepts every acknowledgement while an older version sends, which does not record its progress", async () => {
  const { queues, socket, stream } = await startedSocket({ sent: 3 }, () => undefined);
  const leased = (await sockets.lease(socket, 5000)) as DeviceSocket;
  const { sendingUpTo: _, ...older } = leased;
  await notifications.append(stream, newEntry(4));
  await queues.acknowledge(older, 4, true);
  expect(await sockets.reread(socket)).toMatchObject({ firstUnacknowledged: 5 });
});

it("a device's queue counts at most a window as acknowledged for any tag", async () => {
  const tags: number[] = [];
  const { queues, socket, stream } = await startedSocket({ sent: 1100 }, (tag) => tags.push(tag));
  await queues.acknowledge((await sockets.reread(socket)) as DeviceSocket, Number.MAX_SAFE_INTEGER, true);

  expect(tags).toEqual(upTo(1000).slice(500));
  const left: number[] = [];
  for await (const entry of notifications.after(stream, 0))
    if (!entry.isAcknowledged) left.push(entry.position);
  expect(left).toEqual(upTo(1100).slice(500));
});

it("a device's queue reads only the part of a long queue that acknowledgements need", async () => {
  const tags: number[] = [];
  const { queues, socket } = await startedSocket({ sent: 700 }, (tag) => tags.push(tag));
  const limits: number[] = [];
  const endFaults = injectFaults(({ action, body }) => {
    if (action === "Query" && body.includes("notifications")) limits.push(JSON.parse(body).Limit ?? Infinity);
    return undefined;
  });
  onTestFinished(endFaults);
  const acknowledge = async (tag: number, isMultiple: boolean) =>
    queues.acknowledge((await sockets.reread(socket)) as DeviceSocket, tag, isMultiple);
  await acknowledge(50, true);
  expect(tags).toEqual(upTo(550).slice(500));
  expect(Math.max(...limits)).toBe(400);

  limits.length = 0;
  await acknowledge(51, false);
  expect(tags.at(-1)).toBe(551);
  expect(limits).toContain(2);
});

it("a device's queue reserves a socket for one sender as long as that one is sending", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = Date.now();
  const timed = eventSource({ clock: () => now });
  const socket = newSocket({ userId: randomUUID(), openedAt: now });
  const { userId, clientId } = socket;
  const tags: number[] = [];
  let go = () => {};
  const posting = new Promise<void>((resolve) => (go = resolve));
  const poster = {
    async post(_: string, frame: string) {
      tags.push(JSON.parse(frame).data.delivery_tag);
      await posting;
      return "posted";
    },
    stateOf: async () => "open",
  } as unknown as SocketPoster;
  const newSender = () =>
    new DeviceQueues({ clock: () => now, notifications: timed.store, sockets: timed.sockets, poster });
  await timed.sockets.createQueue(userId, clientId);
  await timed.sockets.open(socket);
  await timed.fill(streams.device(userId, clientId), [1]);
  const slow = newSender().start(socket);
  await eventually(() => expect(tags).toEqual([1]));
  for (const _ of upTo(4)) {
    now += 1000;
    vi.advanceTimersByTime(1000);
    await eventually(async () => expect((await timed.sockets.reread(socket))?.leasedUntil).toBe(now + 3000));
  }
  await newSender().enqueue({ userId, clientId }, contentOf(newEntry(2)));
  expect(tags).toEqual([1]);
  go();
  await slow;

  expect(tags).toEqual([1, 2]);
});

it("a device's queue tells a device whose queue cannot be read that it has missed events, and goes on after its acknowledgement", async () => {
  const socket = newSocket({ userId: randomUUID(), openedAt: Date.now() });
  const { userId, clientId, socketId } = socket;
  const frames: [type: string, tag?: number][] = [];
  const queues = queuesOver(new Set([socketId]), (tag, _, type) => frames.push([type, tag]));
  await sockets.createQueue(userId, clientId);
  await sockets.open(socket);
  await source.fill(streams.device(userId, clientId), [1]);
  await new Table({ dynamo: createDynamo(), config: stackConfig("test") }, "sockets").update(
    { owner: `user#${userId}`, entry: `queue#${clientId}` },
    {
      UpdateExpression: "SET acknowledgedUpTo = :value",
      ExpressionAttributeValues: { ":value": "all" },
    },
  );
  expect(await sockets.ofUser(userId)).toMatchObject({ queues: [{ clientId, hasMissed: true }] });

  await queues.start(socket);
  expect(frames).toEqual([["notifications_missed", undefined]]);
  await queues.acknowledgeFullSync(socket);
  expect(frames.slice(1)).toEqual([["event", 1]]);
  expect(await sockets.getQueue(userId, clientId)).toMatchObject({ hasMissed: false, acknowledgedUpTo: 0 });
});
