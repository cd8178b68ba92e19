import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { streams } from "#shared/data/notification/notification.ts";
import { eventSource, upTo } from "../../test/support/events.ts";
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

/** Queues whose sockets are open when they are in the set. */
function queuesOver(open: ReadonlySet<string>, onFrame: (tag: number, socketId: string) => unknown) {
  const poster: Pick<SocketPoster, "post" | "isOpen" | "close"> = {
    async post(socketId, frame) {
      if (!open.has(socketId)) return "gone";
      await onFrame(JSON.parse(frame).data.delivery_tag, socketId);
      return "posted";
    },
    isOpen: async (socketId) => open.has(socketId),
    close: async () => undefined,
  };
  return new DeviceQueues({ clock: Date.now, notifications, sockets, poster: poster as SocketPoster });
}

it("sends on when everything was acknowledged before the window was known to be full", async () => {
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

it("passes on to the next socket only when that one has opened", async () => {
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
