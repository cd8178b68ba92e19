import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import pLimit from "p-limit";
import type { WebSocket } from "ws";
import { FrameBudget, type FrameKind } from "#shared/events/sockets/frame-limits.ts";
import { type RelayOrder, relaySocketId } from "#shared/events/sockets/relay.ts";
import { maxRelayFrameBytes } from "#shared/events/sockets/relay-poster.ts";
import { newSocketLifetime } from "#shared/events/sockets/socket.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Log } from "#shared/platform/log.ts";
import { tooManyFrames } from "#shared/sessions/flood-refusal.ts";
import { type SocketTarget, socketTarget } from "../socket-paths.ts";
import { closeInTime, goingAway } from "../sockets/socket-server.ts";

/** An event of a socket, as the function behind the WebSocket API expects it. */
export interface RelayEvent {
  readonly requestContext: {
    readonly connectionId: string;
    readonly routeKey: "$connect" | "$default" | "$disconnect";
    readonly requestId: string;
    readonly disconnectStatusCode?: number | undefined;
  };
  readonly headers?: Readonly<Record<string, string>>;
  readonly queryStringParameters?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded: false;
}

/** Bounds of the sockets of one relay. Times in seconds. */
export interface SocketBounds {
  /** Sockets, and handshakes in progress among them; further handshakes are refused with 503. */
  readonly maxSockets: number;
  readonly maxHandshakes: number;
  /** Handshakes that the function handles concurrently; the others wait. */
  readonly concurrentHandshakes: number;
  /**
   * Longest life of a socket. Each gets a random, shorter one, so that clients do not all reconnect at the same time.
   */
  readonly longestLife: number;
  /** Silence after which the relay pings a client, and how long it waits for an answer. */
  readonly idle: number;
  readonly answer: number;
}

export interface RelaySocketsOptions {
  readonly relayId: string;
  /** The function that opens, reads and closes sockets. */
  readonly invoke: (event: RelayEvent) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
  readonly bounds: SocketBounds;
  /** Headers that the entrance would add, if there is none. */
  readonly entranceHeaders?: (request: IncomingMessage, path: string) => Readonly<Record<string, string>>;
  /** Called with each frame that is sent to a socket, except pongs. */
  readonly onFrame?: (socketId: string, frame: string) => void;
}

/** One socket, from the beginning of its handshake. */
export interface RelaySocket {
  readonly socketId: string;
  readonly endpoint: SocketTarget["endpoint"];
  readonly budget: FrameBudget;
  /** Absent until the handshake is answered; orders wait until then. */
  webSocket: WebSocket | undefined;
  readonly kept: RelayOrder[];
  lastHeardAt: number;
  pingedAt: number | undefined;
  readonly closesAt: number;
  /** Close code, if the socket is closing because of a frame from its client; further frames are not read. */
  refusedWith: number | undefined;
}

/**
 * Bytes that may wait for a client. With more, the next frame closes its socket: the client does not read, and will
 * find its events in its log. Not less than the largest frame, which takes a while on a slow line.
 */
const maxUnsentBytes = maxRelayFrameBytes;
/** Orders kept for a socket whose handshake is in progress; with more, it is closed. */
const maxKeptOrders = 200;

const ordered = { code: 1000, reason: "Connection Closed Normally" } as const;

/** The sockets of a relay: frames in both directions, and the end of each socket. */
export class RelaySockets {
  readonly #options: RelaySocketsOptions;
  readonly #sockets = new Map<string, RelaySocket>();
  readonly #handshakes: ReturnType<typeof pLimit>;
  readonly #reporting = new Set<string>();
  #lastNumber = 0;

  constructor(options: RelaySocketsOptions) {
    this.#options = options;
    this.#handshakes = pLimit(options.bounds.concurrentHandshakes);
  }

  get count(): number {
    return this.#sockets.size;
  }

  /** Open sockets by id. */
  open(): WebSocket[] {
    return [...this.#sockets.values()].flatMap(({ webSocket }) => webSocket ?? []);
  }

  /**
   * Let the function decide on a handshake.
   * @returns the socket, or the status that refuses it
   */
  async admit(request: IncomingMessage): Promise<RelaySocket | number> {
    const { bounds, entranceHeaders } = this.#options;
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    const target = socketTarget(path);
    if (target === undefined) return 404;
    if (this.#handshakes.pendingCount >= bounds.maxHandshakes || this.count >= bounds.maxSockets) return 503;
    const socket = this.#newSocket(target);
    const { socketId } = socket;
    let isAdmitted = false;
    try {
      const { status } = await this.#handshakes(() =>
        this.#call("$connect", socketId, {
          headers: { ...flatHeaders(request), ...entranceHeaders?.(request, path) },
          queryStringParameters: { ...Object.fromEntries(new URLSearchParams(query)), ...target },
        }),
      );
      isAdmitted = status === 200;
      return isAdmitted ? socket : status;
    } finally {
      if (!isAdmitted) this.#sockets.delete(socketId);
    }
  }

  /** The handshake is answered. */
  opened(socket: RelaySocket, webSocket: WebSocket): void {
    const { clock } = this.#options;
    if (socket.kept.length > maxKeptOrders) {
      webSocket.terminate();
      return;
    }
    socket.webSocket = webSocket;
    const heard = () => {
      socket.lastHeardAt = clock();
      socket.pingedAt = undefined;
    };
    heard();
    for (const event of ["ping", "pong", "message"]) webSocket.on(event, heard);
    const spend = (kind: FrameKind): boolean => {
      const mayGoOn = socket.budget.take(kind, clock());
      if (!mayGoOn) refuse(socket, tooManyFrames, "too-many-frames");
      return mayGoOn;
    };
    // Answered immediately, so that a pong does not wait for acknowledgements.
    webSocket.on("message", (data: Buffer) => {
      if (!isPing(data)) spend("acknowledgements");
      else if (spend("pings")) webSocket.send("pong", { binary: true });
    });
    // The library answers these.
    for (const event of ["ping", "pong"]) webSocket.on(event, () => spend("pings"));
    for (const order of socket.kept.splice(0)) this.#carryOut(socket, webSocket, order);
  }

  /** Let the function read a frame. */
  async received(socket: RelaySocket, data: Buffer): Promise<void> {
    const { socketId, endpoint, refusedWith } = socket;
    // On `/await`, clients send only pings.
    if (refusedWith !== undefined || isPing(data) || endpoint === "await") return;
    const { status, body } = await this.#call("$default", socketId, { body: data.toString() });
    if (status >= 500) refuse(socket, 1011, "internal-error");
    else if (status >= 400) refuse(socket, 1003, body ?? "failed-to-parse");
  }

  /**
   * Let the function forget a socket. A socket that its client flooded is marked as such, so that the client is
   * stopped.
   */
  async closed({ socketId, refusedWith }: RelaySocket): Promise<void> {
    this.#sockets.delete(socketId);
    await this.#call("$disconnect", socketId, {}, refusedWith);
  }

  carryOut(orders: readonly RelayOrder[]): void {
    for (const order of orders) {
      const socket = this.#sockets.get(order.socketId);
      if (socket === undefined) this.#reportGone(order.socketId);
      else if (socket.webSocket !== undefined) this.#carryOut(socket, socket.webSocket, order);
      else if (socket.kept.length <= maxKeptOrders) socket.kept.push(order);
    }
  }

  /** Close these sockets, if they are open. */
  close(socketIds: readonly string[]): void {
    for (const socketId of socketIds)
      this.#sockets.get(socketId)?.webSocket?.close(ordered.code, ordered.reason);
  }

  /** Close sockets that are dead or have reached the end of their life, and ping silent ones. */
  sweep(): void {
    const { bounds, clock } = this.#options;
    const now = clock();
    for (const socket of this.#sockets.values()) {
      const { webSocket, pingedAt, lastHeardAt, closesAt } = socket;
      if (webSocket === undefined) continue;
      if (now >= closesAt) webSocket.close(goingAway.code, goingAway.reason);
      else if (pingedAt !== undefined && now - pingedAt > bounds.answer * 1000) {
        closeInTime(webSocket, { code: 1002, reason: "inactivity" });
      } else if (pingedAt === undefined && now - lastHeardAt > bounds.idle * 1000) {
        socket.pingedAt = now;
        webSocket.ping();
      }
    }
  }

  #newSocket({ endpoint }: SocketTarget): RelaySocket {
    const { bounds, clock, relayId } = this.#options;
    const now = clock();
    const socket: RelaySocket = {
      socketId: relaySocketId(relayId, ++this.#lastNumber),
      endpoint,
      budget: new FrameBudget(now),
      webSocket: undefined,
      kept: [],
      lastHeardAt: now,
      pingedAt: undefined,
      closesAt: now + Math.min(newSocketLifetime(), bounds.longestLife * 1000),
      refusedWith: undefined,
    };
    this.#sockets.set(socket.socketId, socket);
    return socket;
  }

  #carryOut({ socketId, budget }: RelaySocket, webSocket: WebSocket, { frame, close }: RelayOrder): void {
    const { log, onFrame } = this.#options;
    if (webSocket.readyState !== webSocket.OPEN) return;
    if (close) webSocket.close(ordered.code, ordered.reason);
    if (close || frame === undefined) return;
    if (webSocket.bufferedAmount > maxUnsentBytes) {
      log.warn("slow-socket-ended", { socketId });
      webSocket.terminate();
      return;
    }
    webSocket.send(frame, { binary: true });
    // A device may acknowledge all of its events, however many it gets.
    budget.add("acknowledgements");
    onFrame?.(socketId, frame);
  }

  /** Let the function remove its record of a socket that this relay does not have. */
  #reportGone(socketId: string): void {
    if (this.#reporting.has(socketId)) return;
    this.#reporting.add(socketId);
    this.#call("$disconnect", socketId)
      .catch((error) => this.#options.log.error("socket-not-removed", { socketId, error: error as Error }))
      .finally(() => this.#reporting.delete(socketId));
  }

  async #call(
    routeKey: RelayEvent["requestContext"]["routeKey"],
    connectionId: string,
    rest: Pick<RelayEvent, "headers" | "queryStringParameters" | "body"> = {},
    disconnectStatusCode?: number,
  ): Promise<{ status: number; body: string | undefined }> {
    const requestId = randomBytes(8).toString("hex");
    const requestContext = { connectionId, routeKey, requestId, disconnectStatusCode };
    const result = await this.#options.invoke({ requestContext, isBase64Encoded: false, ...rest });
    const { statusCode = 500, body } = (result ?? {}) as { statusCode?: number; body?: string };
    return { status: statusCode, body };
  }
}

function refuse(socket: RelaySocket, code: number, reason: string): void {
  const { webSocket, refusedWith } = socket;
  if (webSocket === undefined || refusedWith !== undefined) return;
  socket.refusedWith = code;
  closeInTime(webSocket, { code, reason });
}

const isPing = (data: Buffer): boolean => data.length === 4 && data.toString("latin1") === "ping";

const flatHeaders = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(", ")]));
