import { type Clock, toSeconds } from "../clock.ts";
import { type Notification, streams } from "../data/notification/notification.ts";
import type { Entry, NotificationStore } from "../data/notification/notification-store.ts";
import type { DeviceQueue, Socket } from "../data/socket/socket.ts";
import type { SocketStore } from "../data/socket/socket-store.ts";
import type { Settings } from "../settings.ts";
import { eventFrame, missedFrame, synchronizationFrame } from "./frames.ts";
import type { SocketPoster } from "./socket-poster.ts";

/** Events that a client may have without acknowledging them (spec heading Limits). */
const maxUnacknowledged = 500;

/** Longer than it takes to send a full window; after it, another sender may take over from one that died. */
const leaseMilliseconds = 20_000;

/** A socket of a device on `/events`. */
export type DeviceSocket = Socket & { readonly clientId: string };

export const isDeviceSocket = (socket: Socket): socket is DeviceSocket =>
  socket.endpoint === "events" && socket.clientId !== undefined;

type Progress = Required<Pick<Socket, "sentUpTo" | "firstUnacknowledged" | "isWindowFull">>;

export interface SocketDeps {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly notifications: NotificationStore;
  readonly sockets: SocketStore;
  readonly poster: SocketPoster;
}

/**
 * Queues of devices for `/events`: an event stays until its device has acknowledged it. Delivery tags are positions in
 * the queue, so that they mean the same on every socket.
 */
export class DeviceQueues {
  readonly #deps: SocketDeps;

  constructor(deps: SocketDeps) {
    this.#deps = deps;
  }

  /** Add an event and send what can be sent. */
  async enqueue(userId: string, clientId: string, entry: Entry): Promise<void> {
    await this.#deps.notifications.append(streams.device(userId, clientId), entry);
    await this.#pump(userId, clientId);
  }

  /** An event that a frame cannot hold: the device is told that it missed something. */
  async noteMissed(userId: string, clientId: string): Promise<void> {
    await this.#deps.sockets.updateQueue(userId, clientId, { hasMissed: true });
    const { sockets: open, queues } = await this.#deps.sockets.ofUser(userId);
    const queue = queues.find((one) => one.clientId === clientId);
    const active = open.filter(isDeviceSocket).find(({ socketId }) => socketId === queue?.activeSocketId);
    if (active !== undefined) await this.#tellMissed(active);
  }

  /** Give a socket that has opened its device's queue, or let it wait while another one has it. */
  async start(socket: DeviceSocket): Promise<void> {
    const { sockets } = this.#deps;
    const { userId, clientId } = socket;
    const { sockets: open, queues } = await sockets.ofUser(userId);
    const queue = queues.find((one) => one.clientId === clientId);
    if (queue === undefined) return;
    const { activeSocketId } = queue;
    if (activeSocketId !== undefined && !open.some(({ socketId }) => socketId === activeSocketId)) {
      await sockets.deactivate({ userId, clientId, socketId: activeSocketId });
    }
    if (!(await sockets.activate(socket))) return;
    if (await this.#hasMissed(userId, queue)) return this.#tellMissed(socket);
    await this.#beginDelivery(socket);
  }

  /** Acknowledge one event, or all up to it. Tags of nothing that was sent are ignored. */
  async acknowledge(socket: DeviceSocket, deliveryTag: number, isMultiple: boolean): Promise<void> {
    const { notifications } = this.#deps;
    const { userId, clientId } = socket;
    const stream = streams.device(userId, clientId);
    if (deliveryTag > (socket.sentUpTo ?? 0)) return;
    if (isMultiple) {
      for await (const { position, isAcknowledged } of notifications.after(
        stream,
        (socket.firstUnacknowledged ?? 1) - 1,
      )) {
        if (position > deliveryTag) break;
        if (!isAcknowledged) await notifications.acknowledge(stream, position);
      }
    } else {
      await notifications.acknowledge(stream, deliveryTag);
    }
    if (socket.isWindowFull) await this.#pump(userId, clientId);
  }

  /** The client knows that it missed events: from here on it gets what comes. */
  async acknowledgeFullSync(socket: DeviceSocket): Promise<void> {
    const { clock, notifications, sockets } = this.#deps;
    const { userId, clientId } = socket;
    const stream = streams.device(userId, clientId);
    let acknowledgedUpTo = 0;
    for await (const { position, expiresAt, isAcknowledged } of notifications.after(stream, 0)) {
      if (!isAcknowledged && expiresAt > toSeconds(clock())) break;
      acknowledgedUpTo = position;
    }
    await sockets.updateQueue(userId, clientId, { hasMissed: false, lastSeenAt: clock(), acknowledgedUpTo });
    await sockets.updateSocket(socket, { awaitsFullSync: false });
    await this.#beginDelivery({ ...socket, awaitsFullSync: false });
  }

  /** Forget a socket that is gone, and leave its queue to the next one of the device that waits. */
  async retire(socket: Socket): Promise<void> {
    const { sockets } = this.#deps;
    await sockets.remove(socket);
    if (!isDeviceSocket(socket)) return;
    const { userId, clientId, firstUnacknowledged } = socket;
    if (!(await sockets.deactivate(socket))) return;
    if (firstUnacknowledged !== undefined) {
      await sockets.updateQueue(userId, clientId, { acknowledgedUpTo: firstUnacknowledged - 1 });
    }
    const { sockets: open } = await sockets.ofUser(userId);
    const [next] = open
      .filter(isDeviceSocket)
      .filter((other) => other.clientId === clientId)
      .toSorted((one, other) => one.openedAt - other.openedAt);
    if (next !== undefined) await this.start(next);
  }

  async #beginDelivery(socket: DeviceSocket): Promise<void> {
    const { clock, notifications } = this.#deps;
    const { userId, clientId, socketId, syncMarker } = socket;
    if (syncMarker !== undefined) {
      const marker = {
        eventId: `marker#${socketId}`,
        committedAt: clock(),
        markerId: syncMarker,
        onlySocketId: socketId,
      };
      await notifications.append(streams.device(userId, clientId), marker);
    }
    await this.#pump(userId, clientId);
  }

  /** Whether an event expired unread, could not be queued, or may have done so while the device was away. */
  async #hasMissed(
    userId: string,
    { clientId, hasMissed, lastSeenAt, acknowledgedUpTo }: DeviceQueue,
  ): Promise<boolean> {
    const { clock, notifications, settings, sockets } = this.#deps;
    const now = clock();
    if (hasMissed || now - lastSeenAt > settings.notificationTTL * 1000) return true;
    const stream = streams.device(userId, clientId);
    const newest = await notifications.backwards(stream, 1).next();
    if ((newest.value?.position ?? 0) < acknowledgedUpTo) {
      // The whole queue has expired and was deleted; a new one counts from the start.
      await sockets.updateQueue(userId, clientId, { acknowledgedUpTo: 0 });
    }
    for await (const entry of notifications.after(stream, acknowledgedUpTo)) {
      if (entry.isAcknowledged || entry.onlySocketId !== undefined) continue;
      return entry.expiresAt <= toSeconds(now);
    }
    return false;
  }

  async #tellMissed(socket: DeviceSocket): Promise<void> {
    const { poster, sockets } = this.#deps;
    await sockets.updateQueue(socket.userId, socket.clientId, { hasMissed: true });
    await sockets.updateSocket(socket, { awaitsFullSync: true });
    if ((await poster.post(socket.socketId, missedFrame())) === "gone") await this.retire(socket);
  }

  /**
   * Send a queue over its active socket, in order, as far as the window of unacknowledged events allows. Of several
   * callers one sends; what the others wanted sent, it finds when it looks again after it has let go.
   */
  async #pump(userId: string, clientId: string): Promise<void> {
    const { notifications, sockets } = this.#deps;
    const stream = streams.device(userId, clientId);
    for (;;) {
      const { sockets: open, queues } = await sockets.ofUser(userId);
      const queue = queues.find((one) => one.clientId === clientId);
      const active = open.find(({ socketId }) => socketId === queue?.activeSocketId);
      if (queue === undefined || active === undefined || active.awaitsFullSync) return;
      const leased = await sockets.lease(active, leaseMilliseconds);
      if (leased === undefined) return;
      const progress = await this.#sendWindow(stream, queue, leased);
      if (progress === "gone") return this.retire(leased);
      await sockets.release(leased, progress);
      if (progress.isWindowFull) return;
      const { done } = await notifications.after(stream, progress.sentUpTo).next();
      if (done) return;
    }
  }

  async #sendWindow(stream: string, queue: DeviceQueue, socket: Socket): Promise<Progress | "gone"> {
    const { clock, notifications, poster } = this.#deps;
    let sentUpTo = socket.sentUpTo ?? queue.acknowledgedUpTo;
    let firstUnacknowledged = socket.firstUnacknowledged ?? queue.acknowledgedUpTo + 1;
    let unacknowledged = 0;
    for await (const entry of notifications.after(stream, firstUnacknowledged - 1)) {
      const { position, onlySocketId } = entry;
      const isElsewhere = onlySocketId !== undefined && onlySocketId !== socket.socketId;
      if (entry.isAcknowledged || isElsewhere || entry.expiresAt <= toSeconds(clock())) {
        if (unacknowledged === 0) firstUnacknowledged = position + 1;
        sentUpTo = Math.max(sentUpTo, position);
        continue;
      }
      unacknowledged++;
      if (position <= sentUpTo) continue;
      if (unacknowledged > maxUnacknowledged) return { sentUpTo, firstUnacknowledged, isWindowFull: true };
      const frame = await this.#frameOf(entry);
      if (frame !== undefined && (await poster.post(socket.socketId, frame)) === "gone") return "gone";
      sentUpTo = position;
    }
    return { sentUpTo, firstUnacknowledged, isWindowFull: false };
  }

  async #frameOf(entry: Notification): Promise<string | undefined> {
    if (entry.markerId !== undefined) return synchronizationFrame(entry.markerId, entry.position);
    const [view] = await this.#deps.notifications.withPayloads([entry]);
    return view && eventFrame(view, entry.position);
  }
}
