import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { eventSource, upTo } from "../../../test/support/events.ts";
import { withLostAnswers } from "../../../test/support/faults.ts";
import { streams } from "../notification.ts";
import { DeviceQueues, type DeviceSocket } from "./device-queues.ts";
import type { SocketPoster } from "./socket-poster.ts";

const source = eventSource();
const { store: notifications, sockets } = source;

const newSocket = ({ userId, openedAt }: Pick<DeviceSocket, "userId" | "openedAt">): DeviceSocket => ({
  socketId: randomUUID(),
  endpoint: "events",
  userId,
  clientId: "c0ffee",
  openedAt,
});

/** Queues whose sockets are open while they are in the set. */
function queuesOver(open: ReadonlySet<string>, onFrame: (tag: number, socketId: string) => unknown) {
  const poster: Pick<SocketPoster, "post" | "stateOf" | "close"> = {
    async post(socketId, frame) {
      if (!open.has(socketId)) return "gone";
      await onFrame(JSON.parse(frame).data.delivery_tag, socketId);
      return "posted";
    },
    stateOf: async (socketId) => (open.has(socketId) ? "open" : "gone"),
    close: async () => "closed",
  };
  return new DeviceQueues({ clock: Date.now, notifications, sockets, poster: poster as SocketPoster });
}

it("continues when everything is acknowledged before the window is known to be full", async () => {
  const socket = newSocket({ userId: randomUUID(), openedAt: Date.now() });
  const { userId, clientId, socketId } = socket;
  const tags: number[] = [];
  const queues = queuesOver(new Set([socketId]), async (tag) => {
    tags.push(tag);
    if (tag === 500) await queues.acknowledge(socket, tag, true);
  });
  await sockets.createQueue(userId, clientId);
  await sockets.open(socket);
  await source.fill(streams.device(userId, clientId), upTo(520));
  await queues.start(socket);

  expect(tags).toEqual(upTo(520));
});

it("passes to the next socket only once that one is open", async () => {
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

it("passes to the next socket although DynamoDB's answers get lost", async () => {
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
