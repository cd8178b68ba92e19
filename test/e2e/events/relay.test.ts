import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { GetQueueUrlCommand, QueueDoesNotExist, SQSClient } from "@aws-sdk/client-sqs";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { relayOf } from "#shared/events/sockets/relay.ts";
import { RelayStore } from "#shared/events/sockets/relay-store.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { eventSource, newReader, numbersIn, type Reader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { forkRelay } from "../../support/fork-relay.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { handshakeStatus, openSocket, type TestSocket } from "../../support/socket.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { logIn, registeredUser } from "../../support/users.ts";

type ForkedRelay = Awaited<ReturnType<typeof forkRelay>>;

let stack: OwnStack;
let relay: ForkedRelay;
let other: ForkedRelay;

beforeAll(async () => {
  stack = await ownStack();
  [relay, other] = await Promise.all([forkRelay(stack), forkRelay(stack, { renewal: 0.5 })]);
});

const listed = async ({ token }: Reader): Promise<number[]> => {
  const { body } = await stack.publicApi("GET", "/notifications?size=10000", { token });
  return numbersIn(body.notifications);
};

const relayStore = () =>
  new RelayStore({ dynamo: createDynamo(), config: stackConfig(stack.prefix), clock: stack.clock });

async function hasQueue({ id }: ForkedRelay): Promise<boolean> {
  const sqs = new SQSClient();
  try {
    await sqs.send(new GetQueueUrlCommand({ QueueName: `${stack.prefix}-relay-${id}.fifo` }));
    return true;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return false;
    throw error;
  } finally {
    sqs.destroy();
  }
}

/** Make a relay look as if it had given no sign of life for a long time. */
async function forgetSigns({ id }: ForkedRelay): Promise<void> {
  const TableName = stackConfig(stack.prefix).tableName("sockets");
  await createDynamo().send(
    new UpdateCommand({
      TableName,
      Key: { owner: "relays", entry: id },
      UpdateExpression: "SET aliveUntil = :longAgo",
      ExpressionAttributeValues: { ":longAgo": 1 },
    }),
  );
}

/** A device with a queue, and its socket at a relay. */
async function openDevice(reader: Reader, clientId: string, at: ForkedRelay): Promise<TestSocket> {
  const path = `/i/users/${reader.userId}/clients/${clientId}/consumable-notifications`;
  await stack.internalApi("POST", path);
  return openSocket("/events", { token: reader.token, query: { client: clientId } }, at);
}

const numbersOn = ({ frames }: TestSocket) =>
  numbersIn(frames.flatMap(({ type, data }) => (type === "event" ? [data.event] : [])));

describe.concurrent("sockets at relays", () => {
  it("receive events in order, whichever relay has them", async () => {
    const source = eventSource(stack);
    const readers = await Promise.all([newReader(stack), newReader(stack)]);
    const sockets = await Promise.all([
      openSocket("/await", readers[0], relay),
      openSocket("/v9/await", readers[1], other),
      openSocket("/await", readers[1], relay),
    ]);
    const sender = randomUUID();
    await source.publish(...upTo(50).map((number) => ({ number, to: readers, sender })));
    for (const socket of sockets) {
      await socket.until((frames) => numbersIn(frames).length >= 50);
      expect(numbersIn(socket.frames)).toEqual(upTo(50));
    }
  });

  it("are reached together with sockets of API Gateway", async () => {
    const source = eventSource(stack);
    const reader = await newReader(stack);
    const sockets = [await openSocket("/await", reader, stack), await openSocket("/await", reader, relay)];
    await source.publish({ number: 1, to: [reader] });
    for (const socket of sockets) await socket.first(1);
  });

  it("get pongs and events as binary frames, for pings as text and as bytes", async () => {
    const source = eventSource(stack);
    const reader = await newReader(stack);
    const socket = new WebSocket(
      `${relay.publicUrl.replace("http", "ws")}/await?access_token=${reader.token}`,
    );
    const kinds: boolean[] = [];
    socket.on("message", (_, isBinary) => kinds.push(isBinary));
    await once(socket, "open");
    socket.send("ping");
    socket.send(Buffer.from("ping"));
    await source.publish({ number: 1, to: [reader] });
    await eventually(() => expect(kinds).toEqual([true, true, true]));
    socket.terminate();
  });

  it("receive characters that a queue refuses", async () => {
    const user = await registeredUser({}, stack);
    const { body } = await logIn(user, { apis: stack });
    const socket = await openSocket("/await", { token: body.access_token }, relay);
    const value = "\ufffe \uffff \ud83d\ude00";
    await stack.publicApi("PUT", "/properties/strange", { token: user.token, json: value });
    const { payload } = await socket.next((frame) => frame.payload?.[0]?.type === "user.properties-set");
    expect(payload).toMatchObject([{ key: "strange", value }]);
  });

  it("are forgotten when they are closed or vanish", async () => {
    const source = eventSource(stack);
    const reader = await newReader(stack);
    const [first, second] = [
      await openSocket("/await", reader, relay),
      await openSocket("/await", reader, relay),
    ];
    expect(await source.socketsOf(reader)).toHaveLength(2);
    await first.close();
    await second.terminate();
    await eventually(async () => expect(await source.socketsOf(reader)).toEqual([]));
  });

  it("close when they flood, and others at the same relay do not notice", async () => {
    const reader = await newReader(stack);
    const beside = await openSocket("/await", reader, relay);
    const flooding = await openSocket("/await", reader, relay);
    for (let count = 0; count < 2000; count++) flooding.send("ping");
    expect(await flooding.closed).toEqual({ code: 1008, reason: "too-many-frames" });
    await eventually(async () => expect(await handshakeStatus("/await", reader, relay)).toBe(429));
    beside.send("ping");
    await beside.next((frame) => frame === "pong");
  });

  it.each(["ping", "pong"] as const)(
    "close when they flood with %s frames of the protocol",
    async (frame) => {
      const reader = await newReader(stack);
      const socket = new WebSocket(
        `${relay.publicUrl.replace("http", "ws")}/await?access_token=${reader.token}`,
      );
      await once(socket, "open");
      for (let count = 0; count < 50; count++) socket[frame]();
      expect(await once(socket, "close")).toEqual([1008, Buffer.from("too-many-frames")]);
      await eventually(async () => expect(await handshakeStatus("/await", reader, relay)).toBe(429));
    },
  );

  it("end soon when they flood and do not answer the close frame", async () => {
    const reader = await newReader(stack);
    const { hostname, port } = new URL(relay.publicUrl);
    const client = connect(Number(port), hostname);
    client.write(
      `GET /await?access_token=${reader.token} HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    await once(client, "data");
    const startedAt = performance.now();
    // A masked text frame.
    client.write(Buffer.concat(Array(50).fill(Buffer.from("\x81\x84\0\0\0\0ping", "latin1"))));
    client.resume();
    await once(client, "close");
    // The library alone would wait for half a minute.
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    await eventually(async () => expect(await handshakeStatus("/await", reader, relay)).toBe(429));
  });

  it("are closed when their clients do not read, and others get everything", async () => {
    const source = eventSource(stack);
    const deaf = await newReader(stack);
    const reader = await newReader(stack);
    const socket = new WebSocket(`${relay.publicUrl.replace("http", "ws")}/await?access_token=${deaf.token}`);
    await once(socket, "open");
    socket.pause();
    const listening = await openSocket("/await", reader, relay);
    const sender = randomUUID();
    let count = 0;
    // The kernel decides how much it keeps for a socket that is not read.
    while ((await source.socketsOf(deaf)).length > 0 && count < 200) {
      count++;
      await source.publish({ number: count, to: [deaf, reader], sender, padding: 100_000 });
      await listening.until((frames) => numbersIn(frames).length >= count);
    }
    expect(await source.socketsOf(deaf)).toEqual([]);
    socket.terminate();
    expect(numbersIn(listening.frames)).toEqual(upTo(count));
  });

  it("are refused without a token, at other paths and without an upgrade", async () => {
    const { token } = await newReader(stack);
    expect(await handshakeStatus("/await", {}, relay)).toBe(401);
    expect(await handshakeStatus("/v7/events", { token }, relay)).toBe(404);
    expect(await handshakeStatus("/other", { token }, relay)).toBe(404);
    const statusOf = async (path: string) => (await fetch(`${relay.publicUrl}${path}`)).status;
    expect(await Promise.all(["/await", "/v9/events", "/health", "/", "//", "/%"].map(statusOf))).toEqual([
      426, 426, 200, 404, 404, 404,
    ]);
  });
});

describe.concurrent("a device whose socket is at a relay", () => {
  it("gets its queue, acknowledges it, and gets the rest at another relay", async () => {
    const source = eventSource(stack);
    const reader = await newReader(stack);
    const sender = randomUUID();
    const first = await openDevice(reader, "c0ffee", relay);
    await source.publish(...upTo(20).map((number) => ({ number, to: [reader], sender })));
    await first.until(() => numbersOn(first).length >= 20);
    expect(numbersOn(first)).toEqual(upTo(20));
    const tag = first.frames[9].data.delivery_tag;
    first.send({ type: "ack", data: { delivery_tag: tag, multiple: true } });
    await eventually(async () => {
      const [socketId = ""] = await source.socketsOf(reader);
      expect(relayOf(socketId)).toBe(relay.id);
    });
    await first.close();
    const second = await openDevice(reader, "c0ffee", other);
    await second.until(() => numbersOn(second).length >= 10);
    expect(numbersOn(second).slice(-10)).toEqual(upTo(20).slice(10));
  });
});

describe("a relay", () => {
  it("refuses more sockets than it can serve, or keep waiting", async () => {
    const small = await forkRelay(stack, { maxSockets: 2 });
    const { token } = await newReader(stack);
    const open = [await openSocket("/await", { token }, small), await openSocket("/await", { token }, small)];
    expect(await handshakeStatus("/await", { token }, small)).toBe(503);
    await open[0]?.close();
    await eventually(async () => expect(await handshakeStatus("/await", { token }, small)).toBe(101));
    await small.kill();
  });

  it("pings silent clients, and ends those that do not answer", async () => {
    const quick = await forkRelay(stack, { idle: 1, answer: 4, sweep: 0.1 });
    const { token } = await newReader(stack);
    const alive = await openSocket("/await", { token }, quick);
    const dead = new WebSocket(`${quick.publicUrl.replace("http", "ws")}/await?access_token=${token}`, {
      autoPong: false,
    });
    const [code, reason] = await once(dead, "close");
    expect([code, String(reason)]).toEqual([1002, "inactivity"]);
    alive.send("ping");
    await alive.next((frame) => frame === "pong");
    await quick.kill();
  });

  it("closes sockets at the end of their lifetime", async () => {
    const brief = await forkRelay(stack, { longestLife: 0.2, sweep: 0.1 });
    const { token } = await newReader(stack);
    const socket = await openSocket("/await", { token }, brief);
    expect(await socket.closed).toMatchObject({ code: 1001 });
    await brief.kill();
  });

  it("closes sockets when it cannot reach its queue, and their clients find what they missed", async () => {
    const source = eventSource(stack);
    const unreachable = await forkRelay(stack, { renewal: 0.5 });
    const reader = await newReader(stack);
    const socket = await openSocket("/await", reader, unreachable);
    const endFaults = injectFaults(({ service, action, body }) =>
      service === "sqs" && action === "SendMessageBatch" && body.includes(unreachable.id)
        ? "failed"
        : undefined,
    );
    try {
      await source.publish({ number: 1, to: [reader] });
      await socket.closed;
    } finally {
      endFaults();
    }
    expect(await listed(reader)).toEqual([1]);
    await eventually(async () => expect(await source.socketsOf(reader)).toEqual([]));
    await unreachable.kill();
  });

  it("drains when it is told to stop: clients reconnect, and its queue and record are removed", async () => {
    const source = eventSource(stack);
    const ending = await forkRelay(stack, { drainSeconds: 4 });
    const readers = await Promise.all(upTo(40).map(() => newReader(stack)));
    const sockets = await Promise.all(readers.map((reader) => openSocket("/await", reader, ending)));
    expect(await relayStore().isAlive(ending.id)).toBe(true);
    const closedAt: number[] = [];
    for (const socket of sockets) void socket.closed.then(() => closedAt.push(Date.now()));
    const exit = ending.stop();
    // The others are still moving.
    await Promise.race(sockets.map(({ closed }) => closed));
    const [reader] = readers as [Reader];
    const [health, handshake] = await Promise.all([
      fetch(`${ending.publicUrl}/health`),
      handshakeStatus("/await", reader, ending),
    ]);
    expect([health.status, handshake]).toEqual([503, 503]);
    expect(await exit).toBe(0);

    expect((await Promise.all(sockets.map(({ closed }) => closed))).every(({ code }) => code === 1001)).toBe(
      true,
    );
    expect(Math.max(...closedAt) - Math.min(...closedAt)).toBeGreaterThan(500);
    expect(await relayStore().isAlive(ending.id)).toBe(false);
    expect(await hasQueue(ending)).toBe(false);
    for (const one of readers) expect(await source.socketsOf(one)).toEqual([]);
  });

  it("loses nothing when it is killed amid 1,000 events: every client finds each once", async () => {
    const source = eventSource(stack);
    const doomed = await forkRelay(stack);
    const readers = await Promise.all(upTo(5).map(() => newReader(stack)));
    const devices = await Promise.all(readers.map((reader) => openDevice(reader, "c0ffee", doomed)));
    const sockets = await Promise.all(readers.map((reader) => openSocket("/await", reader, doomed)));
    const senders = upTo(10).map(() => randomUUID());
    const published = Promise.all(
      senders.map(async (sender, index) => {
        for (const count of upTo(20))
          await source.publish({ number: index * 20 + count, to: readers, sender });
      }),
    );
    await sockets[0]?.until((frames) => numbersIn(frames).length >= 40);
    await doomed.kill();
    await published;
    await Promise.all(sockets.map(({ closed }) => closed));
    await forgetSigns(doomed);
    const next = await Promise.all(readers.map((reader) => openDevice(reader, "c0ffee", other)));
    for (const [index, reader] of readers.entries()) {
      await eventually(async () => expect((await listed(reader)).toSorted(byNumber)).toEqual(upTo(200)));
      const received = () =>
        new Set([devices[index], next[index]].flatMap((one) => (one ? numbersOn(one) : [])));
      await next[index]?.until(() => received().size === 200);
    }
    await eventually(async () => expect(await hasQueue(doomed)).toBe(false));
    expect(await relayStore().isAlive(other.id)).toBe(true);
  });
});

const byNumber = (one: number, another: number) => one - another;
