import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { registerDevice } from "../../support/devices.ts";
import { eventSource, newReader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type Fault, injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { handshakeStatus, openSocket, type TestSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { logIn, registeredUser } from "../../support/users.ts";

let stack: OwnStack;
beforeAll(async () => {
  stack = await stackWith();
});

const open = (user: { token: string }, path = "/await", query = {}) =>
  openSocket(path, { token: user.token, query }, stack);

/** The pongs among frames, which may also be events. */
const pongsIn = (frames: readonly unknown[]) => frames.filter((frame) => frame === "pong").length;

async function expectAlive(socket: TestSocket): Promise<void> {
  const before = pongsIn(socket.frames);
  socket.send("ping");
  await socket.until((frames) => pongsIn(frames) > before);
}

function flood(socket: TestSocket, frame: object | string = "ping", count = 2000): void {
  for (let sent = 0; sent < count; sent++) socket.send(frame);
}

/** Resolves when everything sent before has been examined: lines are delivered in order. */
async function allBatches(on: OwnStack): Promise<void> {
  const socket = await openSocket("/await", await newReader(on), on);
  flood(socket, "ping", 50);
  await socket.closed;
}

/** A batch as CloudWatch delivers it: lines of the log of the WebSocket API. */
const batchOf = (lines: readonly string[], messageType = "DATA_MESSAGE") => ({
  awslogs: {
    data: gzipSync(
      JSON.stringify({
        messageType,
        owner: "000000000000",
        logGroup: "sockets",
        logStream: randomUUID(),
        subscriptionFilters: ["frames"],
        logEvents: lines.map((message) => ({ id: randomUUID(), timestamp: Date.now(), message })),
      }),
    ).toString("base64"),
  },
});

const pingsOf = (socketId: string, count: number) =>
  upTo(count).map(() => `${socketId} MESSAGE $default 200 192.0.2.1 ${randomUUID()} -`);

describe.concurrent("a flood of pings", () => {
  it("closes its socket, and costs other sockets of the same and of other users nothing", async () => {
    const [user, bystander] = await Promise.all([registeredUser({}, stack), registeredUser({}, stack)]);
    const flooded = await open(user);
    const others = await Promise.all([open(user), open(user), open(bystander)]);
    flood(flooded);
    await Promise.all(others.map(expectAlive));

    expect(await flooded.closed).toMatchObject({ code: 1000 });
    await Promise.all(others.map(expectAlive));
    await eventually(async () => {
      expect(await eventSource(stack).socketsOf({ userId: user.id })).toHaveLength(2);
    });
  });

  it("keeps its session from opening another socket for five minutes, but not other sessions of the user", async () => {
    const own = await stackWith();
    const user = await registeredUser({}, own);
    const { body: other } = await logIn(user, { apis: own });
    const socket = await openSocket("/await", user, own);
    flood(socket);
    await socket.closed;
    // A new token of the same session.
    const { body } = await own.publicApi("POST", "/access", { cookie: user.cookie });
    for (const token of [user.token, body.access_token]) {
      expect(await handshakeStatus("/await", { token }, own)).toBe(429);
      expect(await handshakeStatus("/events", { token }, own)).toBe(429);
    }

    expect(await handshakeStatus("/await", { token: other.access_token }, own)).toBe(101);
    await eventually(async () => {
      expect(await eventSource(own).socketsOf({ userId: user.id })).toEqual([]);
    });
    own.advance(301);
    expect(await handshakeStatus("/await", { token: user.token }, own)).toBe(101);
  });

  it("closes its socket on /events, and the unread events go to the next one", async () => {
    const user = await registeredUser({}, stack);
    const { body: other } = await logIn(user, { apis: stack });
    const { body: device } = await registerDevice(
      user,
      { capabilities: ["consumable-notifications"] },
      { publicApi: stack.publicApi },
    );
    const flooded = await open(user, "/events", { client: device.id });
    const waiting = await openSocket(
      "/events",
      { token: other.access_token, query: { client: device.id } },
      stack,
    );
    flood(flooded);
    await flooded.closed;
    await eventSource(stack).publish({ number: 1, to: [{ userId: user.id }] });

    await waiting.next((frame) => frame?.data?.event?.payload[0].number === 1);
  });

  it("is detected however it is spread, and frames other than pings count, too", async () => {
    const socket = await open(await newReader(stack));
    const sending = setInterval(() => flood(socket, "nonsense", 5), 100);
    await socket.closed.finally(() => clearInterval(sending));
  });
});

describe.concurrent("an ordinary client", () => {
  it("stays connected while it pings every 20 seconds", async () => {
    const own = await stackWith({}, { isClockStopped: true });
    const socket = await openSocket("/await", await newReader(own), own);
    for (let count = 0; count < 100; count++) {
      await expectAlive(socket);
      own.advance(20);
    }
    await allBatches(own);
    await expectAlive(socket);
  });

  it("stays connected while it acknowledges 500 events rapidly, one by one", async () => {
    const socket = await open(await newReader(stack), "/events");
    for (const number of upTo(500)) socket.send({ type: "ack", data: { delivery_tag: number } });
    await expectAlive(socket);
    await allBatches(stack);
    await expectAlive(socket);
  });
});

describe("a client that closes its socket with the code of a flood", () => {
  it("may open another one", async () => {
    const reader = await newReader(stack);
    const socket = new WebSocket(
      `${stack.publicUrl.replace("http", "ws")}/await?access_token=${reader.token}`,
    );
    await once(socket, "open");
    socket.close(1008);
    await eventually(async () => expect(await eventSource(stack).socketsOf(reader)).toEqual([]));

    expect(await handshakeStatus("/await", reader, stack)).toBe(101);
  });
});

describe.concurrent("a batch of the log", () => {
  it("may name unknown sockets, and contain unrelated lines", async () => {
    const lines = [
      ...pingsOf("unknown=", 500),
      "",
      "nonsense",
      "a= CONNECT $connect 401 192.0.2.1 x Unauthorized user agent",
      "a= MESSAGE",
    ];
    await stack.invoke("socket-floods", batchOf(lines));
    await stack.invoke("socket-floods", batchOf(["CWL CONTROL MESSAGE"], "CONTROL_MESSAGE"));
  });

  it("closes a flooded socket whose record no longer exists", async () => {
    const reader = await newReader(stack);
    const socket = await open(reader);
    const source = eventSource(stack);
    const { sockets } = await source.sockets.ofUser(reader.userId);
    for (const record of sockets) await source.sockets.remove(record);
    flood(socket);

    expect(await socket.closed).toMatchObject({ code: 1000 });
  });
});

describe("a flooded socket that cannot be closed", () => {
  it("is closed by the next batch", async () => {
    const reader = await newReader(stack);
    const socket = await open(reader);
    const [socketId = ""] = await eventSource(stack).socketsOf(reader);
    let fault: Fault | undefined = "failed";
    const endFaults = injectFaults(({ service, action, path }) =>
      service === "sockets" && action === "DELETE" && path.includes(encodeURIComponent(socketId))
        ? fault
        : undefined,
    );
    try {
      await expect(stack.invoke("socket-floods", batchOf(pingsOf(socketId, 50)))).rejects.toThrow(
        "could not be closed",
      );
      await expectAlive(socket);
      fault = undefined;
      await stack.invoke("socket-floods", batchOf(pingsOf(socketId, 50)));
    } finally {
      endFaults();
    }

    expect(await socket.closed).toMatchObject({ code: 1000 });
  });
});
