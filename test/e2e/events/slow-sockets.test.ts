import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventSource, newReader, numbersIn, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type Fault, injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";

const clientId = "c0ffee";

let stack: OwnStack;
let endFaults: () => void;
/** Faults of posts to a socket, by socket id. */
const faults = new Map<string, Fault>();

beforeAll(async () => {
  stack = await stackWith();
  endFaults = injectFaults(({ service, action, path }) => {
    const [socketId = ""] = path.split("/").slice(-1);
    return service === "sockets" && action === "POST" ? faults.get(decodeURIComponent(socketId)) : undefined;
  });
});
afterAll(() => endFaults());

const waysToFail: Fault[] = ["refused", "failed", "unanswered"];

it.concurrent.each(waysToFail)(
  "a sender's events reach everybody else when posts to one socket are %s",
  async (fault) => {
    const source = eventSource(stack);
    const slow = await newReader(stack);
    const other = await newReader(stack);
    const slowSocket = await openSocket("/await", slow, stack);
    const [slowSocketId = ""] = await source.socketsOf(slow);
    const otherSocket = await openSocket("/await", other, stack);
    faults.set(slowSocketId, fault);
    const sender = randomUUID();
    await source.publish(...upTo(5).map((number) => ({ number, to: [slow, other], sender })));
    await otherSocket.until((frames) => numbersIn(frames).length >= 5);
    await slowSocket.closed;

    expect(numbersIn(otherSocket.frames)).toEqual(upTo(5));
    await eventually(async () => {
      expect(await source.socketsOf(slow)).toEqual([]);
      const { body } = await stack.publicApi("GET", "/notifications", { token: slow.token });
      expect(numbersIn(body.notifications)).toEqual(upTo(5));
    });
  },
);

it.concurrent.each(waysToFail)(
  "a device gets its whole queue on its next socket when posts to the first are %s",
  async (fault) => {
    const source = eventSource(stack);
    const reader = await newReader(stack);
    await stack.internalApi("POST", `/i/users/${reader.userId}/clients/${clientId}/consumable-notifications`);
    const open = () => openSocket("/events", { token: reader.token, query: { client: clientId } }, stack);
    const numbers = ({ frames }: TestSocket) => numbersIn(frames.map(({ data }) => data.event));
    const sender = randomUUID();
    const slowSocket = await open();
    await source.publish({ number: 1, to: [reader], sender });
    await slowSocket.first(1);
    const [slowSocketId = ""] = await source.socketsOf(reader);
    faults.set(slowSocketId, fault);
    await source.publish(...[2, 3].map((number) => ({ number, to: [reader], sender })));
    await slowSocket.closed;
    const next = await open();
    await next.first(3);

    expect(numbers(next)).toEqual([1, 2, 3]);
  },
);
