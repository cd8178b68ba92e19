import type { SQSBatchResponse } from "aws-lambda";
import { afterEach, describe, expect, it } from "vitest";
import { type SocketCheck, socketCheck } from "#shared/events/sockets/socket-closure.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { eventSource, newReader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { handshakeStatus, openSocket, type TestSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { signedToken } from "../../support/tokens.ts";
import { logIn, registeredUser, type User } from "../../support/users.ts";

/** A check that a function has requested, with the delay that it has asked SQS for. */
interface Order {
  readonly check: SocketCheck;
  readonly delaySeconds: number;
}

/** A stack in which time passes only when a check is delivered: SQS would take hours. */
interface Timeline {
  readonly stack: OwnStack;
  /** All checks requested so far. */
  readonly orders: readonly Order[];
  /** Advance the clock by the delay of an order, and deliver it. */
  deliver(order: Order | undefined): Promise<void>;
}

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

async function newTimeline(settings: SettingsInput = {}): Promise<Timeline> {
  const stack = await stackWith(settings, { isClockStopped: true });
  const orders: Order[] = [];
  const observe = injectFaults(({ service, action, body }) => {
    if (service !== "sqs" || action !== "SendMessage" || !body.includes(`${stack.prefix}-socket-closures`))
      return undefined;
    const { MessageBody, DelaySeconds = 0 } = JSON.parse(body);
    const check = socketCheck.safeParse(JSON.parse(MessageBody)).data;
    if (check !== undefined) orders.push({ check, delaySeconds: DelaySeconds });
    return undefined;
  });
  endings.push(observe);
  return {
    stack,
    orders,
    async deliver(order) {
      if (order === undefined) throw new Error("No check was requested");
      stack.advance(order.delaySeconds);
      const record = { messageId: "1", body: JSON.stringify(order.check), attributes: {} };
      const answer = (await stack.invoke("socket-closer", { Records: [record] })) as SQSBatchResponse;
      expect(answer.batchItemFailures).toEqual([]);
    },
  };
}

/** The pongs among frames, which may also be events. */
const pongsIn = (frames: readonly unknown[]) => frames.filter((frame) => frame === "pong").length;

async function expectAlive(socket: TestSocket): Promise<void> {
  const before = pongsIn(socket.frames);
  socket.send("ping");
  await socket.until((frames) => pongsIn(frames) > before);
}

const minutes = (from: number, to: number) => (to - from) / 60_000;

const logOut = ({ stack }: Timeline, { cookie, token }: Pick<User, "cookie" | "token">) =>
  stack.publicApi("POST", "/access/logout", { cookie, token });

/** A user on the stack of a timeline, with a token that has just been issued. */
async function userOn({ stack }: Timeline): Promise<User> {
  const user = await registeredUser({}, stack);
  const { body } = await stack.publicApi("POST", "/access", { cookie: user.cookie });
  return { ...user, token: body.access_token };
}

describe("a socket", () => {
  it("outlives its access token, and closes before two hours are over, after one message every 15 minutes", async () => {
    const timeline = await newTimeline();
    const { orders, stack } = timeline;
    const user = await userOn(timeline);
    const socket = await openSocket("/await", user, stack);
    const openedAt = stack.clock();
    let isClosed = false;
    socket.closed.then(() => {
      isClosed = true;
    });
    while (!isClosed && orders.length < 12) {
      const count = orders.length;
      await expectAlive(socket);
      await timeline.deliver(orders.at(-1));
      if (orders.length === count) await socket.closed;
    }

    expect(await socket.closed).toMatchObject({ code: 1000 });
    expect(minutes(openedAt, stack.clock())).toBeGreaterThanOrEqual(90);
    expect(minutes(openedAt, stack.clock())).toBeLessThan(119);
    expect(orders.length).toBeLessThanOrEqual(8);
    expect(orders.length).toBe(Math.ceil(minutes(openedAt, stack.clock()) / 15));
  });

  it("closes within seconds when its session logs out long after its token has expired", async () => {
    const timeline = await newTimeline();
    const { stack } = timeline;
    const user = await userOn(timeline);
    const socket = await openSocket("/await", user, stack);
    const { body } = await stack.publicApi("POST", "/access", { cookie: user.cookie });
    stack.advance(3000);
    await expectAlive(socket);
    expect(await handshakeStatus("/await", { token: body.access_token }, stack)).toBe(401);
    const fresh = await stack.publicApi("POST", "/access", { cookie: user.cookie });
    await logOut(timeline, { cookie: user.cookie, token: fresh.body.access_token });

    expect(await socket.closed).toMatchObject({ code: 1000 });
  });

  it("gets a lifetime of its own, so that sockets that open together do not close together", async () => {
    const { stack } = await newTimeline();
    const reader = await newReader(stack);
    await Promise.all(upTo(20).map(() => openSocket("/await", reader, stack)));
    const { sockets } = await eventSource(stack).sockets.ofUser(reader.userId);
    const lifetimes = sockets.map(({ expiresAt = 0, openedAt }) => minutes(openedAt, expiresAt));

    expect(lifetimes).toHaveLength(20);
    expect(Math.min(...lifetimes)).toBeGreaterThanOrEqual(90);
    expect(Math.max(...lifetimes)).toBeLessThanOrEqual(118);
    expect(Math.max(...lifetimes) - Math.min(...lifetimes)).toBeGreaterThan(5);
  });

  it("ends with its cookie", async () => {
    const timeline = await newTimeline({ zauth: { authSettings: { userTokenTimeout: 2000 } } });
    const { orders, stack } = timeline;
    const socket = await openSocket("/await", await userOn(timeline), stack);
    const openedAt = stack.clock();
    await timeline.deliver(orders[0]);
    await expectAlive(socket);
    expect(orders[1]?.check.notBefore).toBe(openedAt + 2_000_000);
    await timeline.deliver(orders[1]);
    await expectAlive(socket);
    await timeline.deliver(orders[2]);

    expect(await socket.closed).toMatchObject({ code: 1000 });
    expect(orders).toHaveLength(3);
    expect(stack.clock() - openedAt).toBe(2_000_000);
  });

  it("stays open when its cookie is replaced, until the last replacement ends", async () => {
    const timeline = await newTimeline({
      setUserCookieRenewAge: 0,
      zauth: { authSettings: { userTokenTimeout: 1200 } },
    });
    const { orders, stack } = timeline;
    const user = await registeredUser({}, stack);
    const socket = await openSocket("/await", user, stack);
    const openedAt = stack.clock();
    await timeline.deliver(orders[0]);
    await stack.publicApi("POST", "/access", { cookie: user.cookie });
    // The end of the first cookie.
    await timeline.deliver(orders[1]);
    await expectAlive(socket);
    await timeline.deliver(orders[2]);

    expect(await socket.closed).toMatchObject({ code: 1000 });
    expect(stack.clock() - openedAt).toBe((900 + 1200) * 1000);
  });

  it("ends with its access token if the user has no session", async () => {
    const timeline = await newTimeline();
    const { orders, stack } = timeline;
    const { userId } = await newReader(stack);
    const expiresAtSeconds = Math.floor(stack.clock() / 1000) + 600;
    const token = await signedToken({ userId, connectionId: "7", expiresAtSeconds }, stack);
    const socket = await openSocket("/await", { token }, stack);
    await timeline.deliver(orders[0]);

    expect(await socket.closed).toMatchObject({ code: 1000 });
    expect(stack.clock()).toBeLessThan((expiresAtSeconds + 2) * 1000);
  });

  it("ends with its access token if another session has taken over its connection", async () => {
    const timeline = await newTimeline();
    const { orders, stack } = timeline;
    const user = await userOn(timeline);
    const other = await logIn(user, { apis: stack });
    const socket = await openSocket("/await", user, stack);
    const taken = await stack.publicApi("POST", "/access", { cookie: other.cookie ?? "", token: user.token });
    const late = await openSocket("/await", { token: taken.body.access_token }, stack);
    const witness = await openSocket("/await", { token: other.body.access_token }, stack);
    await logOut(timeline, user);
    // Both name the connection of a session that is over, and of one that lives on.
    await expectAlive(socket);
    for (const order of orders.slice(0, 2)) await timeline.deliver({ ...order, delaySeconds: 450 });

    expect(await socket.closed).toMatchObject({ code: 1000 });
    expect(await late.closed).toMatchObject({ code: 1000 });
    await expectAlive(witness);
  });

  it("ends with its access token if an older version has recorded it", async () => {
    const timeline = await newTimeline();
    const { orders, stack } = timeline;
    const user = await userOn(timeline);
    const socket = await openSocket("/await", user, stack);
    const { sockets } = eventSource(stack);
    const [{ tokenExpiresAt, ...record } = { socketId: "" }] = (await sockets.ofUser(user.id)).sockets;
    await sockets.open({ ...record, expiresAt: tokenExpiresAt } as Parameters<typeof sockets.open>[0]);
    const [order] = orders;
    if (order === undefined) throw new Error("No check was requested");
    const { socketId: _, ...check } = order.check;
    await timeline.deliver({ ...order, check });

    expect(await socket.closed).toMatchObject({ code: 1000 });
    expect(orders).toHaveLength(1);
  });

  it("is not checked again once it is gone", async () => {
    const timeline = await newTimeline({ zauth: { authSettings: { accessTokenTimeout: 3000 } } });
    const { orders, stack } = timeline;
    const user = await userOn(timeline);
    const socket = await openSocket("/await", user, stack);
    await timeline.deliver(orders[0]);
    expect(orders).toHaveLength(2);
    await socket.close();
    await eventually(async () => expect(await eventSource(stack).socketsOf({ userId: user.id })).toEqual([]));
    await timeline.deliver(orders[1]);

    expect(orders).toHaveLength(2);
  });
});
