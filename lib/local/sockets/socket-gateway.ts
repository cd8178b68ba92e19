import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "#shared/platform/clock.ts";
import { parseToken } from "#shared/tokens/token.ts";
import { socketTarget } from "../../socket-paths.ts";
import { enter } from "../gateway/entrance.ts";
import { targetOf } from "../gateway/gateway-event.ts";
import type { UpgradeListener } from "../gateway/http-server.ts";
import type { LoggedRequest } from "../gateway/request-log.ts";
import type { Background } from "../timer.ts";
import { messageLimit } from "./connections-api.ts";
import type { OpenSocket, OpenSockets } from "./open-sockets.ts";
import { connectEvent, disconnectEvent, identify, messageEvent, type SocketEvent } from "./socket-event.ts";

/** How long sockets live; by default, as long as on API Gateway. */
export interface SocketLimits {
  /** Time without any frame, in either direction, after which a socket is closed: 10 minutes. */
  readonly idleSeconds?: number;
  /** Time after which every socket is closed: 2 hours. */
  readonly lifetimeSeconds?: number;
}

export interface SocketGatewayOptions {
  readonly sockets: OpenSockets;
  readonly functionName: string;
  /** Proves to the function that a handshake came through the entrance. */
  readonly entranceSecret?: string;
  readonly invoke: (event: SocketEvent) => Promise<unknown>;
  readonly clock: Clock;
  readonly limits?: SocketLimits;
  readonly onRequest?: (request: LoggedRequest) => void;
}

export interface SocketGateway extends Background {
  readonly upgrade: UpgradeListener;
}

interface Outcome {
  readonly status: number;
  readonly body?: string;
}

const goingAway = { code: 1001, reason: "Going away" } as const;
const closedAbnormally = { code: 1006, reason: "Connection closed abnormally" } as const;
const badGateway = 502;
/** How long a client has to answer the close frame when the stack stops. */
const closeGraceMilliseconds = 500;

/** 16 bytes in base64 (RFC 6455 §4.1). */
const handshakeKey = /^[+/0-9A-Za-z]{22}==$/;

/**
 * Create the WebSocket API on this machine: its three routes call the function with the events of AWS. The messages of
 * a socket are passed on in order, one at a time.
 */
export function createSocketGateway({
  sockets,
  functionName,
  entranceSecret,
  invoke,
  clock,
  limits: { idleSeconds = 600, lifetimeSeconds = 7200 } = {},
  onRequest,
}: SocketGatewayOptions): SocketGateway {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: messageLimit,
    // None, as on AWS, where the answer of `$connect` would have to name one.
    handleProtocols: () => false,
  });
  /** Work that has to end before the gateway has stopped. */
  const pending = new Set<Promise<unknown>>();
  let isStopping = false;

  function track(work: Promise<unknown>): void {
    const tracked = work.catch((error) => console.error(error)).finally(() => pending.delete(tracked));
    pending.add(tracked);
  }

  /** Call the function for one event. A failure is reported, and answered as API Gateway answers it. */
  async function call(event: SocketEvent, path: string): Promise<Outcome> {
    const { routeKey, connectionId, requestId } = event.requestContext;
    const startedAt = performance.now();
    const at = new Date().toISOString();
    let outcome: Outcome;
    try {
      outcome = readResult(await invoke(event));
    } catch (error) {
      console.error(error);
      const message = JSON.stringify({ message: "Internal server error", connectionId, requestId });
      outcome = { status: badGateway, body: message };
    }
    const isHandshake = routeKey === "$connect";
    onRequest?.({
      at,
      api: "sockets",
      method: isHandshake ? "GET" : routeKey,
      path,
      status: isHandshake && isSuccess(outcome) ? 101 : outcome.status,
      milliseconds: performance.now() - startedAt,
      functionName,
    });
    return outcome;
  }

  async function open(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    const { path, query } = targetOf(request.url ?? "") ?? { path: "", query: "" };
    const target = socketTarget(path);
    const turnAway = (status: number) => {
      const { method = "" } = request;
      const at = new Date().toISOString();
      onRequest?.({ at, api: "sockets", method, path, status, milliseconds: 0, functionName: undefined });
      refuse(connection, status);
    };
    if (target === undefined) return turnAway(404);
    if (!isWellFormedHandshake(request)) return turnAway(400);
    if (isStopping) return turnAway(503);

    const identity = identify(request, clock());
    const addedHeaders =
      entranceSecret === undefined ? undefined : enter(request, path, entranceSecret).headers;
    const outcome = await call(connectEvent(request, identity, { query, target, addedHeaders }), path);
    if (!isSuccess(outcome)) return refuse(connection, outcome.status);
    let isOpen = false;
    server.handleUpgrade(request, connection, head, (webSocket) => {
      isOpen = true;
      attach(webSocket, { identity, path, userId: userIn(request, query) });
    });
    // The client has disconnected, or a header that only the upgrade reads is invalid.
    if (!isOpen) await call(disconnectEvent(identity, { ...closedAbnormally, now: clock() }), path);
  }

  function attach(
    webSocket: WebSocket,
    { identity, path, userId }: Pick<OpenSocket, "identity" | "path" | "userId">,
  ): void {
    const end = () => webSocket.close(goingAway.code, goingAway.reason);
    const idleTimer = setTimeout(end, idleSeconds * 1000);
    const lifeTimer = setTimeout(end, lifetimeSeconds * 1000);
    const socket: OpenSocket = {
      identity,
      path,
      userId,
      webSocket,
      lastActiveAt: clock(),
      touch() {
        socket.lastActiveAt = clock();
        idleTimer.refresh();
      },
    };
    let work: Promise<unknown> = Promise.resolve();
    const enqueue = (task: () => Promise<unknown>) => {
      work = work.then(task).catch((error) => console.error(error));
      track(work);
    };

    sockets.add(socket);
    // After an error of the client, the library closes the socket with the right code.
    webSocket.on("error", () => {});
    webSocket.on("ping", socket.touch);
    webSocket.on("pong", socket.touch);
    webSocket.on("message", (data, isBinary) => {
      socket.touch();
      enqueue(() => answerMessage(socket, { data: toBuffer(data), isBinary }));
    });
    webSocket.on("close", (code, reason) => {
      clearTimeout(idleTimer);
      clearTimeout(lifeTimer);
      sockets.remove(socket);
      const closure = code === closedAbnormally.code ? closedAbnormally : { code, reason: reason.toString() };
      enqueue(() => call(disconnectEvent(identity, { ...closure, now: clock() }), path));
    });
    if (isStopping) end();
  }

  async function answerMessage(
    { identity, path, webSocket, touch }: OpenSocket,
    { data, isBinary }: { data: Buffer; isBinary: boolean },
  ): Promise<void> {
    const { body } = await call(messageEvent(identity, { data, isBinary, now: clock() }), path);
    if (body === undefined || webSocket.readyState !== webSocket.OPEN) return;
    webSocket.send(body);
    touch();
  }

  return {
    upgrade(request, connection, head) {
      // A client may disconnect at any time during the handshake.
      connection.on("error", () => connection.destroy());
      track(open(request, connection, head));
    },
    async stop() {
      isStopping = true;
      await Promise.all(sockets.all().map(({ webSocket }) => closeInTime(webSocket)));
      while (pending.size > 0) {
        await Promise.all(pending);
        await Promise.all(sockets.all().map(({ webSocket }) => closeInTime(webSocket)));
      }
    },
  };
}

async function closeInTime(webSocket: WebSocket): Promise<void> {
  const closed = new Promise((resolve) => webSocket.once("close", resolve));
  const giveUp = setTimeout(() => webSocket.terminate(), closeGraceMilliseconds);
  webSocket.close(goingAway.code, goingAway.reason);
  await closed;
  clearTimeout(giveUp);
}

const isWellFormedHandshake = ({ method, headers }: IncomingMessage) =>
  method === "GET" &&
  headers["sec-websocket-version"] === "13" &&
  handshakeKey.test(headers["sec-websocket-key"] ?? "");

/** API Gateway passes on only the status. */
function refuse(connection: Duplex, status: number): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`;
  connection.once("finish", () => connection.destroy());
  connection.end(`${head}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** @throws Error for a result that AWS would not accept */
function readResult(result: unknown): Outcome {
  const { statusCode, body } = (result ?? {}) as APIGatewayProxyStructuredResultV2;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599)
    throw new Error(`Bad statusCode ${statusCode}`);
  if (body !== undefined && typeof body !== "string")
    throw new Error("The body of a result must be a string");
  return { status, body: body === "" ? undefined : body };
}

const isSuccess = ({ status }: Outcome) => status >= 200 && status < 300;

/** User of the token, for the console only: the function has already verified it. */
function userIn({ headers }: IncomingMessage, query: string): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  return parseToken(bearer ?? new URLSearchParams(query).get("access_token") ?? "")?.userId;
}

/** The default `binaryType` gives one buffer per message. */
const toBuffer = (data: RawData): Buffer => data as Buffer;
