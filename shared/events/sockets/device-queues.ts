import { setTimeout as delay } from "node:timers/promises";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { type Notification, sizeOf, streams } from "../notification.ts";
import {
  type Entry,
  type NotificationStore,
  type NotificationView,
  purgeDelaySeconds,
} from "../notification-store.ts";
import { eventFrame, missedFrame, synchronizationFrame } from "./frames.ts";
import type { PostOutcome } from "./poster.ts";
import type { DeviceQueue, Socket } from "./socket.ts";
import type { SocketPoster } from "./socket-poster.ts";
import type { SocketStore } from "./socket-store.ts";

/** Maximum number of events that a device gets before it must acknowledge some. */
const maxUnacknowledged = 500;

/** Page size of reads. */
const pageSize = 100;
/** First entries of the window: usually one that has just been acknowledged, and one that has not. */
const oldestOfWindow = 2;

/**
 * How long a socket stays leased by a dead sender; a live one renews its lease. SQS may repeat an event earlier; it
 * then waits.
 */
const leaseMilliseconds = 3000;

/** How long to wait for others to release a socket: longer than a dead sender keeps it. */
const patience = { attempts: 80, pauseMilliseconds: 50 };

/** A socket of a device on `/events`. */
export type DeviceSocket = Socket & { readonly clientId: string };

/** Whether a socket delivers a device's queue. */
export const isDeviceSocket = (socket: Socket): socket is DeviceSocket =>
  socket.endpoint === "events" && socket.clientId !== undefined;

/** Dependencies of delivering events over sockets. */
export interface SocketDeps {
  readonly clock: Clock;
  readonly notifications: NotificationStore;
  readonly sockets: SocketStore;
  readonly poster: SocketPoster;
}

/**
 * Queues of devices for `/events`: an event stays until its device has acknowledged it. Delivery tags are sequence
 * numbers of the queue, so that they mean the same on every socket.
 */
export class DeviceQueues {
  readonly #deps: SocketDeps;

  constructor(deps: SocketDeps) {
    this.#deps = deps;
  }

  /**
   * Append an event to a queue and send as much of the queue as its window allows. An event that directly follows the
   * last one sent is sent immediately; otherwise the queue is read.
   *
   * @param device.active the queue's active socket, as it was when it was last read
   * @param event.payload absent if it may be too large for a frame
   * @returns the active socket as it is now; undefined when it would have to be read
   */
  async enqueue(
    { userId, clientId, active }: { userId: string; clientId: string; active?: Socket },
    { entry, payload }: { entry: Entry; payload: NotificationView["payload"] | undefined },
  ): Promise<Socket | undefined> {
    const { notifications, poster, sockets } = this.#deps;
    const stream = streams.device(userId, clientId);
    if (payload === undefined) {
      await this.#enqueueLarge({ userId, clientId }, entry);
      return undefined;
    }
    const last = active && lastSent(active);
    const next = last && !entry.isRepeated && (await notifications.appendAfter(last, stream, entry));
    if (active && next) {
      const claimed = await sockets.claimNext(active, next);
      if (claimed !== undefined) {
        const outcome = await poster.post(
          claimed.socketId,
          eventFrame({ id: next.id, payload }, next.position),
        );
        return (await this.afterPost(claimed, outcome)) ? claimed : undefined;
      }
    } else {
      const appended = await notifications.append(stream, entry);
      if (entry.isRepeated) await this.#sendAgain({ userId, clientId }, appended);
    }
    await this.#pump(userId, clientId, { mayHaveDied: entry.isRepeated });
  }

  /** Append an event that some sockets cannot send: it is unknown which socket the device will have when it is sent. */
  async #enqueueLarge(
    { userId, clientId }: { userId: string; clientId: string },
    entry: Entry,
  ): Promise<void> {
    const { notifications, sockets } = this.#deps;
    const appended = await notifications.append(streams.device(userId, clientId), entry);
    if (entry.onlySocketId === undefined) {
      await sockets.updateQueue(userId, clientId, { largeAt: appended.position });
    }
    if (entry.isRepeated) await this.#sendAgain({ userId, clientId }, appended);
    await this.#pump(userId, clientId, { mayHaveDied: entry.isRepeated });
  }

  /**
   * Assign its device's queue to a socket that has opened; it waits while another socket has the queue.
   * @throws Error when others keep the socket leased: repeat later
   * @returns whether the socket need not wait
   */
  async start(socket: DeviceSocket): Promise<boolean> {
    const { poster, sockets } = this.#deps;
    const { userId, clientId, socketId } = socket;
    const { sockets: open, queues } = await sockets.ofUser(userId);
    const queue = queues.find((one) => one.clientId === clientId);
    if (queue === undefined) return true;
    const { activeSocketId } = queue;
    if (activeSocketId !== undefined && activeSocketId !== socketId) {
      const active = open.find((one) => one.socketId === activeSocketId);
      if (active === undefined) await sockets.deactivate({ userId, clientId, socketId: activeSocketId });
      // API Gateway does not always report that a socket has closed.
      else if ((await poster.stateOf(activeSocketId)) === "gone") {
        await this.retire(active);
        return true;
      }
    }
    if (!(await sockets.activate(socket))) return false;
    await this.#untilDone(clientId, async () => {
      const started = await this.#whileLeased(socket, async (leased, facts) => {
        if (!leased.hasStarted) await this.#begin({ ...leased, clientId }, queue);
        facts.hasStarted = true;
      });
      if (started !== undefined) return true;
      const current = await sockets.reread(socket);
      return current === undefined || current.hasStarted === true;
    });
    await this.#pump(userId, clientId, { mayHaveDied: true });
    return true;
  }

  /**
   * Acknowledge one event, or all up to it, as far as they have been sent. Unknown delivery tags are ignored.
   * @param socket as it was when the acknowledgement arrived
   */
  async acknowledge(socket: DeviceSocket, deliveryTag: number, isMultiple: boolean): Promise<void> {
    const { notifications, sockets } = this.#deps;
    const { userId, clientId, firstUnacknowledged = 1 } = socket;
    const stream = streams.device(userId, clientId);
    const lastTag = Math.min(deliveryTag, mayBeSentUpTo(socket));
    const tags = isMultiple || deliveryTag > lastTag ? [] : [deliveryTag];
    let next = firstUnacknowledged;
    if (isMultiple) {
      const entries = notifications.after(stream, firstUnacknowledged - 1, pageSize);
      for await (const { position, isAcknowledged } of entries) {
        if (position > lastTag) break;
        if (!isAcknowledged) tags.push(position);
        next = position + 1;
      }
    }
    await Promise.all(tags.map((tag) => notifications.acknowledge(stream, tag)));
    // Read only now: any sender that finds the window full after this has already counted these as acknowledged.
    const current =
      next > firstUnacknowledged
        ? await sockets.noteAcknowledged(socket, next)
        : await sockets.reread(socket);
    if (current?.isWindowFull) await this.#pump(userId, clientId);
  }

  /** Resume delivery once the device knows that it missed events: it gets all events from here on. */
  async acknowledgeFullSync(socket: DeviceSocket): Promise<void> {
    const { clock, notifications, sockets } = this.#deps;
    const { userId, clientId } = socket;
    const queue = await sockets.getQueue(userId, clientId);
    if (queue === undefined) return;
    let { acknowledgedUpTo } = queue;
    const stream = streams.device(userId, clientId);
    await this.#acknowledgeUnsendable(socket, queue);
    const entries = notifications.after(stream, acknowledgedUpTo);
    for await (const { position, expiresAt, isAcknowledged } of entries) {
      if (!isAcknowledged && expiresAt > toSeconds(clock())) break;
      acknowledgedUpTo = position;
    }
    await sockets.updateQueue(userId, clientId, { hasMissed: false, lastSeenAt: clock(), acknowledgedUpTo });
    await this.#allowDelivery(socket, acknowledgedUpTo);
    await this.#pump(userId, clientId);
  }

  /**
   * React to the outcome of a post: removes a socket that is gone, and closes one that cannot be posted to.
   * @returns whether the socket is still usable
   */
  async afterPost(socket: Socket, outcome: PostOutcome): Promise<boolean> {
    if (outcome === "posted" || outcome === "too-large") return true;
    if (outcome === "failed") await this.#deps.poster.close(socket.socketId);
    await this.retire(socket);
    return false;
  }

  /** Remove a socket that is gone, and assign its queue to the next waiting socket of the device. */
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
      // A socket that is just opening gets its own `start` later.
      if ((await poster.stateOf(next.socketId)) === "open") {
        await this.start(next);
        return;
      }
    }
  }

  /** The acknowledgement of a full sync also covers the events that no frame of the socket can hold. */
  async #acknowledgeUnsendable(
    socket: DeviceSocket,
    { clientId, acknowledgedUpTo, largeAt = 0 }: DeviceQueue,
  ): Promise<void> {
    const { notifications } = this.#deps;
    const { userId, firstUnacknowledged = 1 } = socket;
    const start = Math.max(acknowledgedUpTo, firstUnacknowledged - 1);
    if (largeAt <= start) return;
    const stream = streams.device(userId, clientId);
    for await (const entry of notifications.after(stream, start, pageSize)) {
      if (entry.position > largeAt) break;
      if (await this.#isUnsendable(socket, entry)) await notifications.acknowledge(stream, entry.position);
    }
  }

  /** Whether a device must still be told that it misses an event, because no frame of its socket can hold it. */
  async #isUnsendable(socket: Socket, entry: Notification): Promise<boolean> {
    const { poster } = this.#deps;
    const isSmall = entry.payloadId === undefined && entry.overlayId === undefined;
    if (isSmall || entry.isAcknowledged || entry.onlySocketId !== undefined) return false;
    if (sizeOf(entry) > poster.readableBytes) return true;
    const frame = await this.#frameOf(entry);
    return frame !== undefined && !poster.fits(socket.socketId, frame);
  }

  /** Starts delivery over a socket: either tells the client that events were missed, or sends the queue. */
  async #begin(socket: DeviceSocket, queue: DeviceQueue): Promise<void> {
    const { hasMissed, acknowledgedUpTo } = await this.#inspect(socket, queue);
    if (hasMissed) await this.#announceMissed(socket);
    else await this.#allowDelivery(socket, acknowledgedUpTo);
  }

  /**
   * Finds out whether an event has expired unread, may have expired while the device was away, or does not fit the
   * socket.
   */
  async #inspect(
    socket: DeviceSocket,
    { clientId, hasMissed, lastSeenAt, acknowledgedUpTo, largeAt = 0 }: DeviceQueue,
  ): Promise<Pick<DeviceQueue, "hasMissed" | "acknowledgedUpTo">> {
    const { clock, notifications, sockets } = this.#deps;
    const { userId } = socket;
    const now = clock();
    if (hasMissed || now - lastSeenAt > purgeDelaySeconds * 1000)
      return { hasMissed: true, acknowledgedUpTo };
    const stream = streams.device(userId, clientId);
    const newest = await notifications.backwards(stream, 1).next();
    if ((newest.value?.position ?? 0) < acknowledgedUpTo) {
      // The whole queue has expired and was deleted; numbering starts again.
      await sockets.updateQueue(userId, clientId, { acknowledgedUpTo: 0, largeAt: 0 });
      return { hasMissed: false, acknowledgedUpTo: 0 };
    }
    const large = largeAt > acknowledgedUpTo ? await notifications.at(stream, largeAt) : undefined;
    if (large !== undefined && (await this.#isUnsendable(socket, large)))
      return { hasMissed: true, acknowledgedUpTo };
    for await (const entry of notifications.after(stream, acknowledgedUpTo)) {
      if (entry.isAcknowledged || entry.onlySocketId !== undefined) continue;
      return { hasMissed: entry.expiresAt <= toSeconds(now), acknowledgedUpTo };
    }
    return { hasMissed: false, acknowledgedUpTo };
  }

  async #announceMissed(socket: DeviceSocket): Promise<void> {
    const { poster, sockets } = this.#deps;
    await sockets.updateQueue(socket.userId, socket.clientId, { hasMissed: true });
    await sockets.updateSocket(socket, { awaitsFullSync: true });
    await this.afterPost(socket, await poster.post(socket.socketId, missedFrame()));
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
   * concurrent callers, one sends. It looks again after releasing the socket, so it finds events that the others added.
   *
   * @param options.mayHaveDied whether an earlier attempt that has died may hold the lease, and so never looks again:
   * then this call waits for the lease or a sign of life
   * @throws Error when it gets neither: repeat later
   */
  async #pump(userId: string, clientId: string, { mayHaveDied = false } = {}): Promise<void> {
    const stream = streams.device(userId, clientId);
    let hindered: Socket | undefined;
    await this.#untilDone(clientId, async () => {
      for (;;) {
        const active = await this.#activeSocket(userId, clientId);
        if (active === undefined) return true;
        if (hindered !== undefined && isLeasedSince(hindered, active)) return true;
        const progress = await this.#whileLeased(active, (leased, facts) =>
          this.#sendWindow({ ...leased, clientId }, facts),
        );
        if (progress === undefined) {
          hindered = active;
          return !mayHaveDied;
        }
        hindered = undefined;
        if (!(await this.#hasMoreToSend(stream, { ...active, ...progress }))) return true;
      }
    });
  }

  /** Repeats an operation while others keep the device's socket leased. @throws Error when they keep it for too long */
  async #untilDone(clientId: string, attempt: () => Promise<boolean>): Promise<void> {
    for (let count = 0; count < patience.attempts; count++) {
      if (await attempt()) return;
      await delay(patience.pauseMilliseconds);
    }
    throw new Error(`Others keep the socket of the device ${clientId} leased`);
  }

  /** Sends an event again that counts as sent: its sender may have died before the post. */
  async #sendAgain(
    { userId, clientId }: { userId: string; clientId: string },
    entry: Notification,
  ): Promise<void> {
    const active = await this.#activeSocket(userId, clientId);
    if (active === undefined || entry.position > (active.sentUpTo ?? 0) || this.#isDone(entry, active))
      return;
    await this.afterPost(active, await this.#post(active, entry));
  }

  /** The active socket of a queue, if anything may be sent over it. */
  async #activeSocket(userId: string, clientId: string): Promise<Socket | undefined> {
    const { sockets: open, queues } = await this.#deps.sockets.ofUser(userId);
    const queue = queues.find((one) => one.clientId === clientId);
    const active = open.find(({ socketId }) => socketId === queue?.activeSocketId);
    // Nothing is sent before `#begin` has decided what comes first, nor until the device acknowledges a full sync.
    return active?.awaitsFullSync === false ? active : undefined;
  }

  /**
   * Run `work` while holding the lease of a socket.
   * @param work puts into `facts` the fields of the socket to store at the end, even after a failure
   * @returns the facts; undefined when somebody else has leased the socket
   */
  async #whileLeased(
    socket: Socket,
    work: (leased: Socket, facts: Partial<Socket>) => Promise<void>,
  ): Promise<Partial<Socket> | undefined> {
    const { sockets } = this.#deps;
    const leased = await sockets.lease(socket, leaseMilliseconds);
    if (leased === undefined) return undefined;
    const facts: Partial<Socket> = {};
    let renewal: Promise<unknown> = Promise.resolve();
    const timer = setInterval(() => {
      // If the renewal fails, the lease may end early, and events may be sent twice.
      renewal = renewal.then(() => sockets.renew(leased, leaseMilliseconds)).catch(() => undefined);
    }, leaseMilliseconds / 3);
    try {
      await work(leased, facts);
      return facts;
    } finally {
      clearInterval(timer);
      await renewal;
      await sockets.release(leased, facts);
    }
  }

  async #sendWindow(socket: DeviceSocket, facts: Partial<Socket>): Promise<void> {
    const { notifications, sockets } = this.#deps;
    const stream = streams.device(socket.userId, socket.clientId);
    const { firstUnacknowledged, unacknowledged } = await this.#windowOf(stream, socket);
    Object.assign(facts, { firstUnacknowledged, isWindowFull: false });
    let room = maxUnacknowledged - unacknowledged;
    // One more than there is room for tells whether the window is full.
    const size = Math.min(pageSize, room + 1);
    const entries = notifications.after(stream, socket.sentUpTo ?? 0, size);
    for await (const page of chunksOfStream(entries, size)) {
      const unsent = page.filter((entry) => !this.#isDone(entry, socket));
      const first = unsent[room];
      const fitting = first === undefined ? page : page.slice(0, page.indexOf(first));
      const last = fitting.at(-1);
      // Stored before a device can acknowledge any of them.
      if (last !== undefined && !(await sockets.noteSending(socket, last.position))) return;
      const toSend = new Set(unsent);
      for (const entry of fitting) {
        if (toSend.has(entry)) {
          const outcome = await this.#post(socket, entry);
          if (outcome === "too-large" && entry.onlySocketId === undefined) {
            await this.#announceMissed(socket);
            return;
          }
          if (!(await this.afterPost(socket, outcome))) return;
        }
        facts.sentUpTo = entry.position;
        facts.sentId = entry.id;
      }
      if (first !== undefined) {
        facts.isWindowFull = true;
        return;
      }
      room -= unsent.length;
    }
  }

  /**
   * Finds the first event that may be unacknowledged, and how many are. Sequence numbers have no gaps, so nothing has
   * to be counted for devices that acknowledge in order; the others are read only if an earlier one is still
   * unacknowledged.
   */
  async #windowOf(
    stream: string,
    socket: Socket,
  ): Promise<{ firstUnacknowledged: number; unacknowledged: number }> {
    const { notifications } = this.#deps;
    const { sentUpTo = 0 } = socket;
    let { firstUnacknowledged = 1 } = socket;
    let unacknowledged = 0;
    if (sentUpTo < firstUnacknowledged) return { firstUnacknowledged, unacknowledged };
    for await (const entry of notifications.after(stream, firstUnacknowledged - 1, oldestOfWindow)) {
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

  /** Whether an entry need not be sent over this socket. */
  #isDone({ expiresAt, isAcknowledged, onlySocketId }: Notification, { socketId }: Socket): boolean {
    const isElsewhere = onlySocketId !== undefined && onlySocketId !== socketId;
    return isAcknowledged === true || isElsewhere || expiresAt <= toSeconds(this.#deps.clock());
  }

  /** Whether there is more to send meanwhile: a new entry, or room in a window that was full. */
  async #hasMoreToSend(stream: string, socket: Socket): Promise<boolean> {
    if (socket.isWindowFull) return (await this.#windowOf(stream, socket)).unacknowledged < maxUnacknowledged;
    const { done } = await this.#deps.notifications.after(stream, socket.sentUpTo ?? 0, 1).next();
    return !done;
  }

  /** Posts an entry of a queue; one that no longer exists counts as posted. */
  async #post({ socketId }: Socket, entry: Notification): Promise<PostOutcome> {
    const { poster } = this.#deps;
    if (sizeOf(entry) > poster.readableBytes) return "too-large";
    const frame = await this.#frameOf(entry);
    return frame === undefined ? "posted" : poster.post(socketId, frame);
  }

  async #frameOf(entry: Notification): Promise<string | undefined> {
    if (entry.markerId !== undefined) return synchronizationFrame(entry.markerId, entry.position);
    const [view] = await this.#deps.notifications.withPayloads([entry]);
    return view && eventFrame(view, entry.position);
  }
}

/** The last event that may have been sent over a socket. */
function mayBeSentUpTo({ sentUpTo = 0, leasedUntil = 0, sendingUpTo = Number.MAX_SAFE_INTEGER }: Socket) {
  return leasedUntil === 0 ? sentUpTo : Math.max(sentUpTo, sendingUpTo);
}

/** Whether somebody has leased a socket, or extended a lease, since the previous read. */
function isLeasedSince(before: Socket, { socketId, leaseId, leasedUntil = 0 }: Socket): boolean {
  const isSame = socketId === before.socketId && leaseId === before.leaseId;
  return leasedUntil > (isSame ? (before.leasedUntil ?? 0) : 0);
}

/** The last event sent over a socket, if its window certainly has room for another one. */
function lastSent({ sentUpTo, sentId, firstUnacknowledged }: Socket) {
  if (sentUpTo === undefined || sentId === undefined || firstUnacknowledged === undefined) return undefined;
  const mayBeUnacknowledged = sentUpTo - firstUnacknowledged + 1;
  return mayBeUnacknowledged < maxUnacknowledged ? { position: sentUpTo, id: sentId } : undefined;
}
