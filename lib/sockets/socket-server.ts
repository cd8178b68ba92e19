import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";

/** A message from a client. */
interface SocketMessage {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** The end of a socket. */
export interface Closure {
  readonly code: number;
  readonly reason: string;
}

/** Hooks for the sockets of a server; `Facts` are what the server knows about each. */
export interface SocketHooks<Facts> {
  /** Decide on a well-formed handshake. @returns the facts about its socket, or the status that refuses it */
  admit(request: IncomingMessage): Promise<Facts | number>;
  /** Called when a socket has opened. */
  opened(facts: Facts, webSocket: WebSocket): void;
  /** Called for the messages of a socket in their order, one at a time. */
  received(facts: Facts, message: SocketMessage): Promise<unknown>;
  /** An admitted socket has closed, or could not be opened: called once, after its last message. */
  closed(facts: Facts, closure: Closure): Promise<unknown>;
  /** Called when a handshake is refused without a decision. */
  refused?(request: IncomingMessage, status: number): void;
}

/** A WebSocket server on the connections of an HTTP server. */
export interface SocketServer {
  /** Listener for requests to upgrade. */
  readonly upgrade: (request: IncomingMessage, connection: Duplex, head: Buffer) => void;
  /** Refuse all handshakes from now on with 503. */
  refuseAll(): void;
  /** Wait until every handshake, message and closure in progress has been handled. */
  settled(): Promise<void>;
}

const closedAbnormally: Closure = { code: 1006, reason: "Connection closed abnormally" };
export const goingAway: Closure = { code: 1001, reason: "Going away" };

/** 16 bytes in base64 (RFC 6455 §4.1). */
const handshakeKey = /^[+/0-9A-Za-z]{22}==$/;

/** Clients send small messages, whole; each fragment of one costs as much as a message, but is not counted. */
const maxFragments = 128;

/** Time that a client has to answer a close frame; until then, its other frames cost time. */
const closeGraceMilliseconds = 2000;

/** Messages of one socket that may wait before nothing more is read from it. */
const maxWaiting = 64;

/**
 * Create a WebSocket server. Hooks that fail are reported on the console, and change nothing for other sockets.
 * @param options.maxMessageBytes larger messages close their socket (1009)
 */
export function createSocketServer<Facts extends object>(
  hooks: SocketHooks<Facts>,
  { maxMessageBytes }: { maxMessageBytes: number },
): SocketServer {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    maxFragments,
    // No client asks for one; compressing frames would cost more memory per socket than everything else.
    perMessageDeflate: false,
    handleProtocols: () => false,
  });
  const pending = new Set<Promise<unknown>>();
  let isRefusing = false;

  function track(work: Promise<unknown>): void {
    const tracked = work.catch((error) => console.error(error)).finally(() => pending.delete(tracked));
    pending.add(tracked);
  }

  async function open(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    if (!isWellFormedHandshake(request) || isRefusing) {
      const status = isRefusing ? 503 : 400;
      hooks.refused?.(request, status);
      return refuse(connection, status);
    }
    const facts = await hooks.admit(request).catch((error) => {
      console.error(error);
      return 500;
    });
    if (typeof facts === "number") return refuse(connection, facts);
    let isOpen = false;
    server.handleUpgrade(request, connection, head, (webSocket) => {
      isOpen = true;
      attach(webSocket, facts);
    });
    // The client has disconnected, or one of the headers that only the upgrade reads is invalid.
    if (!isOpen) await hooks.closed(facts, closedAbnormally);
  }

  function attach(webSocket: WebSocket, facts: Facts): void {
    let work: Promise<unknown> = Promise.resolve();
    let waiting = 0;
    const enqueue = (task: () => Promise<unknown>) => {
      waiting++;
      if (waiting > maxWaiting) webSocket.pause();
      work = work
        .then(task)
        .catch((error) => console.error(error))
        .finally(() => {
          waiting--;
          if (webSocket.isPaused && waiting <= maxWaiting / 2) webSocket.resume();
        });
      track(work);
    };
    // After an error of the client, the library closes the socket with the right code.
    webSocket.on("error", () => {});
    webSocket.on("message", (data, isBinary) =>
      enqueue(() => hooks.received(facts, { data: toBuffer(data), isBinary })),
    );
    webSocket.on("close", (code, reason) => {
      const closure = code === closedAbnormally.code ? closedAbnormally : { code, reason: reason.toString() };
      enqueue(() => hooks.closed(facts, closure));
    });
    hooks.opened(facts, webSocket);
    if (isRefusing) track(closeInTime(webSocket));
  }

  return {
    upgrade(request, connection, head) {
      // A client may disconnect at any time during the handshake.
      connection.on("error", () => connection.destroy());
      track(open(request, connection, head));
    },
    refuseAll() {
      isRefusing = true;
    },
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** Close a socket, after a while even if its client does not answer the close frame. */
export async function closeInTime(
  webSocket: WebSocket,
  { code, reason } = goingAway,
  graceMilliseconds = closeGraceMilliseconds,
): Promise<void> {
  if (webSocket.readyState === webSocket.CLOSED) return;
  const closed = new Promise((resolve) => webSocket.once("close", resolve));
  const giveUp = setTimeout(() => webSocket.terminate(), graceMilliseconds);
  webSocket.close(code, reason);
  await closed;
  clearTimeout(giveUp);
}

const isWellFormedHandshake = ({ method, headers }: IncomingMessage) =>
  method === "GET" &&
  headers["sec-websocket-version"] === "13" &&
  handshakeKey.test(headers["sec-websocket-key"] ?? "");

/** Only the status, since browsers show nothing else of a refused handshake. */
function refuse(connection: Duplex, status: number): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`;
  connection.once("finish", () => connection.destroy());
  connection.end(`${head}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** With the default `binaryType`, a message is one buffer. */
const toBuffer = (data: RawData): Buffer => data as Buffer;
