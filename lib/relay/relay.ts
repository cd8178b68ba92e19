import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import pLimit from "p-limit";
import type { WebSocket } from "ws";
import { FrameBudget } from "#shared/events/sockets/frame-limits.ts";
import { type RelayOrder, relaySocketId } from "#shared/events/sockets/relay.ts";
import { type RelayStore, relayLifeMilliseconds } from "#shared/events/sockets/relay-store.ts";
import { maxFrameBytes } from "#shared/events/sockets/socket-poster.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Log } from "#shared/platform/log.ts";
import { type SocketTarget, socketTarget } from "../socket-paths.ts";
import { closeInTime, createSocketServer, goingAway, type SocketServer } from "../sockets/socket-server.ts";
import { RelayInbox } from "./relay-inbox.ts";
import { keepMembership } from "./relay-membership.ts";

/** An event of a socket, as the function behind the WebSocket API takes it. */
export interface RelayEvent {
  readonly requestContext: {
    readonly connectionId: string;
    readonly routeKey: "$connect" | "$default" | "$disconnect";
    readonly requestId: string;
  };
  readonly headers?: Readonly<Record<string, string>>;
  readonly queryStringParameters?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded: false;
}

/** What a relay is made of. */
export interface RelayOptions {
  /** The function that opens, reads and closes sockets. */
  readonly invoke: (event: RelayEvent) => Promise<unknown>;
  readonly relays: RelayStore;
  /** What the URLs of the relays' queues begin with. */
  readonly queues: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Headers that the entrance would add, where none stands in front. */
  readonly entranceHeaders?: (request: IncomingMessage, path: string) => Readonly<Record<string, string>>;
  readonly limits?: Partial<RelayLimits>;
  /** Called with each frame that is sent to a socket, except pongs. */
  readonly onFrame?: (socketId: string, frame: string) => void;
}

/** Bounds of one relay. Times in seconds. */
export interface RelayLimits {
  /** Sockets, and handshakes in progress among them; further handshakes are refused with 503. */
  readonly maxSockets: number;
  readonly maxHandshakes: number;
  /** Handshakes that the function handles concurrently; the others wait. */
  readonly concurrentHandshakes: number;
  /** Every socket closes after a random time between these two, so that clients do not all come back together. */
  readonly shortestLife: number;
  readonly longestLife: number;
  /** Silence after which the relay pings a client, and how long it waits for an answer. */
  readonly idle: number;
  readonly answer: number;
  /** Time between two looks at all sockets, and between two signs of life. */
  readonly sweep: number;
  readonly renewal: number;
}

const defaultLimits: RelayLimits = {
  maxSockets: 40_000,
  maxHandshakes: 10_000,
  concurrentHandshakes: 100,
  shortestLife: 90 * 60,
  longestLife: 120 * 60,
  idle: 30,
  answer: 20,
  sweep: 5,
  renewal: relayLifeMilliseconds / 3000,
};

/** Bytes that may wait for a client that does not read, before its socket is ended: it reads them from its log. */
const maxUnsentBytes = 4 * maxFrameBytes;
/** Orders kept for a socket whose handshake is in progress. */
const maxKeptOrders = 200;
/** How long a client has to answer a close frame. */
const closeGraceMilliseconds = 2000;
const drainStepMilliseconds = 100;

interface RelaySocket {
  readonly socketId: string;
  readonly endpoint: SocketTarget["endpoint"];
  readonly budget: FrameBudget;
  /** Absent until the handshake is answered; orders wait until then. */
  webSocket: WebSocket | undefined;
  readonly kept: RelayOrder[];
  lastHeardAt: number;
  pingedAt: number | undefined;
  closesAt: number;
  /** Whether it is ending because of what its client sent: nothing more of that is read. */
  isRefused: boolean;
}

/** A running relay. */
export interface Relay {
  readonly id: string;
  readonly upgrade: SocketServer["upgrade"];
  /** Resolves when others have removed this relay, because it seemed dead: it cannot go on. */
  readonly removed: Promise<void>;
  /** Whether it takes new sockets. */
  isReady(): boolean;
  openSockets(): number;
  /** Milliseconds that the frames received since the last call have waited on average; undefined without frames. */
  takeFrameDelay(): number | undefined;
  /**
   * Refuse new sockets, tell all clients to reconnect, spread over `seconds`, then remove the queue.
   * What was not delivered meanwhile, clients read from their logs.
   */
  drain(seconds: number): Promise<void>;
}

/** Start a relay: a process that holds sockets, calls the function for their events, and sends what its queue brings. */
export async function startRelay({
  invoke,
  relays,
  queues,
  clock,
  log,
  entranceHeaders,
  limits: given,
  onFrame,
}: RelayOptions): Promise<Relay> {
  const limits = { ...defaultLimits, ...given };
  const id = randomBytes(8).toString("hex");
  const sockets = new Map<string, RelaySocket>();
  const reporting = new Set<string>();
  const removed = Promise.withResolvers<void>();
  const handshakes = pLimit(limits.concurrentHandshakes);
  let lastNumber = 0;
  let isDraining = false;
  let delays = { count: 0, milliseconds: 0 };

  async function call(
    routeKey: RelayEvent["requestContext"]["routeKey"],
    connectionId: string,
    rest: Pick<RelayEvent, "headers" | "queryStringParameters" | "body"> = {},
  ): Promise<{ status: number; body: string | undefined }> {
    const requestId = randomBytes(8).toString("hex");
    const requestContext = { connectionId, routeKey, requestId };
    const result = await invoke({ requestContext, isBase64Encoded: false, ...rest });
    const { statusCode = 500, body } = (result ?? {}) as { statusCode?: number; body?: string };
    return { status: statusCode, body };
  }

  async function admit(request: IncomingMessage): Promise<RelaySocket | number> {
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    const target = socketTarget(path);
    if (target === undefined) return 404;
    const isFull = handshakes.pendingCount >= limits.maxHandshakes || sockets.size >= limits.maxSockets;
    if (isFull) return 503;
    const now = clock();
    const life = limits.shortestLife + Math.random() * (limits.longestLife - limits.shortestLife);
    const socket: RelaySocket = {
      socketId: relaySocketId(id, ++lastNumber),
      endpoint: target.endpoint,
      budget: new FrameBudget(now),
      webSocket: undefined,
      kept: [],
      lastHeardAt: now,
      pingedAt: undefined,
      closesAt: now + life * 1000,
      isRefused: false,
    };
    sockets.set(socket.socketId, socket);
    let isAdmitted = false;
    try {
      const { status } = await handshakes(() =>
        call("$connect", socket.socketId, {
          headers: { ...flatHeaders(request), ...entranceHeaders?.(request, path) },
          queryStringParameters: { ...Object.fromEntries(new URLSearchParams(query)), ...target },
        }),
      );
      isAdmitted = status === 200;
      return isAdmitted ? socket : status;
    } finally {
      if (!isAdmitted) sockets.delete(socket.socketId);
    }
  }

  function opened(socket: RelaySocket, webSocket: WebSocket): void {
    socket.webSocket = webSocket;
    const heard = () => {
      socket.lastHeardAt = clock();
      socket.pingedAt = undefined;
    };
    heard();
    webSocket.on("ping", heard);
    webSocket.on("pong", heard);
    webSocket.on("message", heard);
    // Immediately, so that a pong does not wait for acknowledgements.
    webSocket.on("message", (data) => {
      if (!socket.budget.take(isPing(data as Buffer) ? "pings" : "acknowledgements", clock()))
        refuse(socket, 1008, "too-many-frames");
      else if (isPing(data as Buffer)) webSocket.send("pong", { binary: true });
    });
    for (const order of socket.kept.splice(0)) carryOut(socket, webSocket, order);
  }

  async function received(socket: RelaySocket, data: Buffer): Promise<void> {
    const { socketId, endpoint, isRefused } = socket;
    // Clients send nothing but pings on `/await`.
    if (isRefused || isPing(data) || endpoint === "await") return;
    const { status, body } = await call("$default", socketId, { body: data.toString() });
    if (status >= 500) refuse(socket, 1011, "internal-error");
    else if (status >= 400) refuse(socket, 1003, body ?? "failed-to-parse");
  }

  function refuse(socket: RelaySocket, code: number, reason: string): void {
    socket.isRefused = true;
    socket.webSocket?.close(code, reason);
  }

  function carryOut(socket: RelaySocket, webSocket: WebSocket, { frame, close }: RelayOrder): void {
    if (webSocket.readyState !== webSocket.OPEN) return;
    if (close) webSocket.close(1000, "Connection Closed Normally");
    else if (frame !== undefined) {
      webSocket.send(frame, { binary: true });
      onFrame?.(socket.socketId, frame);
    }
    if (webSocket.bufferedAmount > maxUnsentBytes) {
      log.warn("slow-socket-ended", { socketId: socket.socketId });
      webSocket.terminate();
    }
  }

  function handleOrders(orders: readonly RelayOrder[], waitedMilliseconds: number): void {
    delays = { count: delays.count + 1, milliseconds: delays.milliseconds + waitedMilliseconds };
    for (const order of orders) {
      const socket = sockets.get(order.socketId);
      if (socket === undefined) reportGone(order.socketId);
      else if (socket.webSocket !== undefined) carryOut(socket, socket.webSocket, order);
      else if (socket.kept.push(order) > maxKeptOrders) socket.kept.length = 0;
    }
  }

  /** Has the function remove what it knows about a socket that this relay does not have. */
  function reportGone(socketId: string): void {
    if (reporting.has(socketId)) return;
    reporting.add(socketId);
    call("$disconnect", socketId)
      .catch((error) => log.error("socket-not-removed", { socketId, error: error as Error }))
      .finally(() => reporting.delete(socketId));
  }

  /** Ends sockets that are silent or have reached the end of their life, and pings those that might be. */
  function sweep(): void {
    const now = clock();
    for (const socket of sockets.values()) {
      const { webSocket, pingedAt, lastHeardAt, closesAt } = socket;
      if (webSocket === undefined) continue;
      if (now >= closesAt) webSocket.close(goingAway.code, goingAway.reason);
      else if (pingedAt !== undefined && now - pingedAt > limits.answer * 1000) {
        webSocket.close(1002, "inactivity");
        setTimeout(() => webSocket.terminate(), closeGraceMilliseconds).unref();
      } else if (pingedAt === undefined && now - lastHeardAt > limits.idle * 1000) {
        socket.pingedAt = now;
        webSocket.ping();
      }
    }
  }

  const server = createSocketServer<RelaySocket>(
    {
      admit,
      opened: (socket, { webSocket }) => opened(socket, webSocket),
      received: (socket, { data }) => received(socket, data),
      closed: ({ socketId }) => {
        sockets.delete(socketId);
        return call("$disconnect", socketId);
      },
    },
    { maxMessageBytes: maxFrameBytes },
  );

  const inbox = new RelayInbox({ queues, relayId: id, log });
  await relays.add(id);
  await inbox.open(handleOrders);
  const stopMembership = keepMembership({
    id,
    relays,
    queues,
    log,
    renewalSeconds: limits.renewal,
    onRemoved: removed.resolve,
    closeAll,
  });
  const sweeper = setInterval(sweep, limits.sweep * 1000);

  /** @returns those that are closed, or were closed before */
  function closeAll(socketIds: readonly string[]): readonly string[] {
    for (const socketId of socketIds)
      sockets.get(socketId)?.webSocket?.close(1000, "Connection Closed Normally");
    return socketIds;
  }

  return {
    id,
    upgrade: server.upgrade,
    removed: removed.promise,
    isReady: () => !isDraining,
    openSockets: () => sockets.size,
    takeFrameDelay() {
      const { count, milliseconds } = delays;
      delays = { count: 0, milliseconds: 0 };
      return count === 0 ? undefined : milliseconds / count;
    },
    async drain(seconds) {
      isDraining = true;
      server.refuseAll();
      const open = [...sockets.values()].flatMap(({ webSocket }) => webSocket ?? []);
      const steps = Math.max(1, Math.floor((seconds * 1000) / drainStepMilliseconds));
      const perStep = Math.ceil(open.length / steps);
      const closing: Promise<void>[] = [];
      while (open.length > 0) {
        closing.push(...open.splice(0, perStep).map((one) => closeInTime(one, closeGraceMilliseconds)));
        if (open.length > 0) await delay(drainStepMilliseconds);
      }
      await Promise.all(closing);
      await server.settled();
      clearInterval(sweeper);
      await stopMembership();
      await inbox.remove();
      await relays.remove(id);
    },
  };
}

const isPing = (data: Buffer): boolean => data.length === 4 && data.toString("latin1") === "ping";

const flatHeaders = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(", ")]));
