import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { streams } from "#shared/data/notification/notification.ts";
import { eventSource, upTo } from "../../test/support/events.ts";
import { DeviceQueues, type DeviceSocket } from "./device-queues.ts";
import type { SocketPoster } from "./socket-poster.ts";

it("sends on when everything was acknowledged before the window was known to be full", async () => {
  const source = eventSource();
  const { store: notifications, sockets } = source;
  const socket: DeviceSocket = {
    socketId: randomUUID(),
    endpoint: "events",
    userId: randomUUID(),
    clientId: "c0ffee",
    openedAt: Date.now(),
  };
  const { userId, clientId } = socket;
  const tags: number[] = [];
  // A client that answers while the next frame is on its way.
  const poster = {
    async post(_, frame) {
      const tag = JSON.parse(frame).data.delivery_tag;
      tags.push(tag);
      await queues.acknowledge(socket, tag, false);
      return "posted";
    },
    isOpen: async () => true,
    close: async () => undefined,
  } satisfies Pick<SocketPoster, "post" | "isOpen" | "close">;
  const queues = new DeviceQueues({
    clock: Date.now,
    notifications,
    sockets,
    poster: poster as unknown as SocketPoster,
  });
  await sockets.createQueue(userId, clientId);
  await sockets.open(socket);
  await source.fill(streams.device(userId, clientId), upTo(520));
  await queues.start(socket);

  expect(tags).toEqual(upTo(520));
});
