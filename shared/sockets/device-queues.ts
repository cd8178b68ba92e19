import { setTimeout as delay } from "node:timers/promises";
import { type Clock, toSeconds } from "../clock.ts";
import { type Notification, streams } from "../data/notification/notification.ts";
import {
  type Entry,
  type NotificationStore,
  purgeDelaySeconds,
} from "../data/notification/notification-store.ts";
import type { DeviceQueue, Socket } from "../data/socket/socket.ts";
import type { SocketStore } from "../data/socket/socket-store.ts";
import { eventFrame, missedFrame, synchronizationFrame } from "./frames.ts";
import type { SocketPoster } from "./socket-poster.ts";

/** Events that a client may have without acknowledging them (spec heading Limits). */
const maxUnacknowledged = 500;

/** Entries read at once: to find the start of the window, and to send. */
const windowPage = 20;
const sendPage = 100;

/** Longer than it takes to send a full window; after it, another sender may take over from one that died. */
const leaseMilliseconds = 20_000;

/** For others to let go of a socket. */
const patience = { attempts: 60, pauseMilliseconds: 50 };

/** A socket of a device on `/events`. */
export type DeviceSocket = Socket & { readonly clientId: string };

export const isDeviceSocket = (socket: Socket): socket is DeviceSocket =>
  socket.endpoint === "events" && socket.clientId !== undefined;

export interface SocketDeps {
  readonly clock: Clock;
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

  /**
   * An event that a frame cannot hold: the device is told that it missed something, at once when it is connected.
   * @throws Error when others keep its socket in hand; to be repeated later
   */
  async noteMissed(userId: string, clientId: string): Promise<void> {
    const { sockets } = this.#deps;
    await sockets.updateQueue(userId, clientId, { hasMissed: true });
    for (let attempt = 0; attempt < patience.attempts; attempt++) {
      const { sockets: open, queues } = await sockets.ofUser(userId);
      const queue = queues.find((one) => one.clientId === clientId);
      const active = open.filter(isDeviceSocket).find(({ socketId }) => socketId === queue?.activeSocketId);
      if (active === undefined) return;
      const facts = await this.#inHand(active, async ({ awaitsFullSync }) => {
        // Else it knows already, or finds out when it starts.
        if (awaitsFullSync === false) await this.#tellMissed(active);
      });
      if (facts !== undefined) return;
      await delay(patience.pauseMilliseconds);
    }
    throw new Error(`The socket of the device ${clientId} stays in other hands`);
  }

  /** Give a socket that has opened its device's queue, or let it wait while another one has it. */
  async start(socket: DeviceSocket): Promise<void> {
    const { poster, sockets } = this.#deps;
    const { userId, clientId, socketId } = socket;
    const { sockets: open, queues } = await sockets.ofUser(userId);
    const queue = queues.find((one) => one.clientId === clientId);
    if (queue === undefined) return;
    const { activeSocketId } = queue;
    if (activeSocketId !== undefined && activeSocketId !== socketId) {
      const active = open.find((one) => one.socketId === activeSocketId);
      if (active === undefined) await sockets.deactivate({ userId, clientId, socketId: activeSocketId });
      // Nobody may have been told that it closed.
      else if (!(await poster.isOpen(activeSocketId))) return this.retire(active);
    }
    if (!(await sockets.activate(socket))) return;
    await this.#inHand(socket, async (leased, facts) => {
      if (!leased.hasStarted) await this.#begin({ ...leased, clientId }, queue);
      facts.hasStarted = true;
    });
    await this.#pump(userId, clientId);
  }

  /** Acknowledge one event, or all up to it. Tags that no event has are ignored. */
  async acknowledge(socket: DeviceSocket, deliveryTag: number, isMultiple: boolean): Promise<void> {
    const { notifications, sockets } = this.#deps;
    const { userId, clientId, firstUnacknowledged = 1 } = socket;
    const stream = streams.device(userId, clientId);
    const positions = isMultiple ? [] : [deliveryTag];
    if (isMultiple) {
      for await (const { position, isAcknowledged } of notifications.after(stream, firstUnacknowledged - 1)) {
        if (position > deliveryTag) break;
        if (!isAcknowledged) positions.push(position);
      }
    }
    await Promise.all(positions.map((position) => notifications.acknowledge(stream, position)));
    // Only now: whoever finds the window full from here on, finds it without these.
    const current = await sockets.reread(socket);
    if (current?.isWindowFull) await this.#pump(userId, clientId);
  }

  /** The client knows that it missed events: from here on it gets what comes. */
  async acknowledgeFullSync(socket: DeviceSocket): Promise<void> {
    const { clock, notifications, sockets } = this.#deps;
    const { userId, clientId } = socket;
    const queue = await sockets.getQueue(userId, clientId);
    if (queue === undefined) return;
    let { acknowledgedUpTo } = queue;
    const entries = notifications.after(streams.device(userId, clientId), acknowledgedUpTo);
    for await (const { position, expiresAt, isAcknowledged } of entries) {
      if (!isAcknowledged && expiresAt > toSeconds(clock())) break;
      acknowledgedUpTo = position;
    }
    await sockets.updateQueue(userId, clientId, { hasMissed: false, lastSeenAt: clock(), acknowledgedUpTo });
    await this.#allowDelivery(socket, acknowledgedUpTo);
    await this.#pump(userId, clientId);
  }

  /** Forget a socket that is gone, and leave its queue to the next one of the device that waits. */
  async retire(socket: Socket): Promise<void> {
    const { poster, sockets } = this.#deps;
    await sockets.remove(socket);
    if (!isDeviceSocket(socket)) return;
    const { userId, clientId, firstUnacknowledged } = socket;
    if (!(await sockets.deactivate(socket))) return;
    if (firstUnacknowledged !== undefined) {
      await sockets.updateQueue(userId, clientId, { acknowledgedUpTo: firstUnacknowledged - 1 });
    }
    const { sockets: open } = await sockets.ofUser(userId);
    const waiting = open
      .filter(isDeviceSocket)
      .filter((other) => other.clientId === clientId)
      .toSorted((one, other) => one.openedAt - other.openedAt);
    for (const next of waiting) {
      // One that is just opening is started when it is open.
      if (await poster.isOpen(next.socketId)) return this.start(next);
    }
  }

  /** What a socket gets first: nothing but the news that events were missed, or else its queue. */
  async #begin(socket: DeviceSocket, queue: DeviceQueue): Promise<void> {
    const { hasMissed, acknowledgedUpTo } = await this.#inspect(socket.userId, queue);
    if (hasMissed) await this.#tellMissed(socket);
    else await this.#allowDelivery(socket, acknowledgedUpTo);
  }

  /** Whether an event expired unread, could not be queued, or may have done so while the device was away. */
  async #inspect(
    userId: string,
    { clientId, hasMissed, lastSeenAt, acknowledgedUpTo }: DeviceQueue,
  ): Promise<Pick<DeviceQueue, "hasMissed" | "acknowledgedUpTo">> {
    const { clock, notifications, sockets } = this.#deps;
    const now = clock();
    if (hasMissed || now - lastSeenAt > purgeDelaySeconds * 1000)
      return { hasMissed: true, acknowledgedUpTo };
    const stream = streams.device(userId, clientId);
    const newest = await notifications.backwards(stream, 1).next();
    if ((newest.value?.position ?? 0) < acknowledgedUpTo) {
      // The whole queue has expired and was deleted; a new one counts from the start.
      await sockets.updateQueue(userId, clientId, { acknowledgedUpTo: 0 });
      return { hasMissed: false, acknowledgedUpTo: 0 };
    }
    for await (const entry of notifications.after(stream, acknowledgedUpTo)) {
      if (entry.isAcknowledged || entry.onlySocketId !== undefined) continue;
      return { hasMissed: entry.expiresAt <= toSeconds(now), acknowledgedUpTo };
    }
    return { hasMissed: false, acknowledgedUpTo };
  }

  async #tellMissed(socket: DeviceSocket): Promise<void> {
    const { poster, sockets } = this.#deps;
    await sockets.updateQueue(socket.userId, socket.clientId, { hasMissed: true });
    await sockets.updateSocket(socket, { awaitsFullSync: true });
    if ((await poster.post(socket.socketId, missedFrame())) === "gone") await this.retire(socket);
  }

  async #allowDelivery(socket: DeviceSocket, acknowledgedUpTo: number): Promise<void> {
    const { notifications, sockets } = this.#deps;
    const { userId, clientId, socketId, syncMarker, openedAt } = socket;
    if (syncMarker !== undefined) {
      await notifications.append(streams.device(userId, clientId), {
        eventId: `marker#${socketId}`,
        committedAt: openedAt,
        isRepeated: true,
        markerId: syncMarker,
        onlySocketId: socketId,
      });
    }
    await sockets.updateSocket(socket, {
      awaitsFullSync: false,
      sentUpTo: socket.sentUpTo ?? acknowledgedUpTo,
      firstUnacknowledged: socket.firstUnacknowledged ?? acknowledgedUpTo + 1,
    });
  }

  /**
   * Send a queue over its active socket, in order, as far as the window of unacknowledged events allows. Of several
   * callers one sends; what the others wanted sent, it finds when it looks again after it has let go.
   */
  async #pump(userId: string, clientId: string): Promise<void> {
    const { sockets } = this.#deps;
    const stream = streams.device(userId, clientId);
    for (;;) {
      const { sockets: open, queues } = await sockets.ofUser(userId);
      const queue = queues.find((one) => one.clientId === clientId);
      const active = open.find(({ socketId }) => socketId === queue?.activeSocketId);
      // Neither before it has been looked at what it has to get first, nor before the client has taken note.
      if (active === undefined || active.awaitsFullSync !== false) return;
      const progress = await this.#inHand(active, (leased, facts) => this.#sendWindow(stream, leased, facts));
      if (progress === undefined || !(await this.#canGoOn(stream, { ...active, ...progress }))) return;
    }
  }

  /**
   * Do something about a socket while nobody else does.
   * @param work puts into `facts` what is noted about the socket in the end, also when it fails
   * @returns the facts; undefined when somebody else has the socket in hand
   */
  async #inHand(
    socket: Socket,
    work: (leased: Socket, facts: Partial<Socket>) => Promise<void>,
  ): Promise<Partial<Socket> | undefined> {
    const { sockets } = this.#deps;
    const leased = await sockets.lease(socket, leaseMilliseconds);
    if (leased === undefined) return undefined;
    const facts: Partial<Socket> = {};
    try {
      await work(leased, facts);
      return facts;
    } finally {
      await sockets.release(leased, facts);
    }
  }

  async #sendWindow(stream: string, socket: Socket, facts: Partial<Socket>): Promise<void> {
    const { notifications, poster } = this.#deps;
    const { firstUnacknowledged, unacknowledged } = await this.#windowOf(stream, socket);
    Object.assign(facts, { firstUnacknowledged, isWindowFull: false });
    let room = maxUnacknowledged - unacknowledged;
    for await (const entry of notifications.after(stream, socket.sentUpTo ?? 0, sendPage)) {
      if (!this.#isDone(entry, socket)) {
        if (room === 0) {
          facts.isWindowFull = true;
          return;
        }
        const frame = await this.#frameOf(entry);
        if (frame !== undefined && (await poster.post(socket.socketId, frame)) === "gone") {
          return this.retire(socket);
        }
        room--;
      }
      facts.sentUpTo = entry.position;
    }
  }

  /**
   * The first event that may be unacknowledged, and how many are. Positions are dense, so that clients that acknowledge
   * in order need no count; only when the first one is left over, the others are looked at one by one.
   */
  async #windowOf(
    stream: string,
    socket: Socket,
  ): Promise<{ firstUnacknowledged: number; unacknowledged: number }> {
    const { notifications } = this.#deps;
    const { sentUpTo = 0 } = socket;
    let { firstUnacknowledged = 1 } = socket;
    let unacknowledged = 0;
    for await (const entry of notifications.after(stream, firstUnacknowledged - 1, windowPage)) {
      if (entry.position > sentUpTo) break;
      if (!this.#isDone(entry, socket)) unacknowledged++;
      else if (unacknowledged === 0) firstUnacknowledged = entry.position + 1;
      const atMost = sentUpTo - firstUnacknowledged + 1;
      if (unacknowledged > 0 && atMost < maxUnacknowledged) {
        return { firstUnacknowledged, unacknowledged: atMost };
      }
    }
    return { firstUnacknowledged, unacknowledged };
  }

  /** Whether an entry is not for this socket, or not any more. */
  #isDone({ expiresAt, isAcknowledged, onlySocketId }: Notification, { socketId }: Socket): boolean {
    const isElsewhere = onlySocketId !== undefined && onlySocketId !== socketId;
    return isAcknowledged === true || isElsewhere || expiresAt <= toSeconds(this.#deps.clock());
  }

  /** Whether there is more to send by now: something new, or room in a window that was full. */
  async #canGoOn(stream: string, socket: Socket): Promise<boolean> {
    if (socket.isWindowFull) return (await this.#windowOf(stream, socket)).unacknowledged < maxUnacknowledged;
    const { done } = await this.#deps.notifications.after(stream, socket.sentUpTo ?? 0, 1).next();
    return !done;
  }

  async #frameOf(entry: Notification): Promise<string | undefined> {
    if (entry.markerId !== undefined) return synchronizationFrame(entry.markerId, entry.position);
    const [view] = await this.#deps.notifications.withPayloads([entry]);
    return view && eventFrame(view, entry.position);
  }
}
