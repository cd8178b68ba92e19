import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { WebSocket } from "ws";
import { pong } from "#shared/events/sockets/frames.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { userIdIn } from "#shared/sessions/tokens/token.ts";
import { socketTarget } from "../../socket-paths.ts";
import { closeInTime, createSocketServer, goingAway } from "../../sockets/socket-server.ts";
import { enter } from "../gateway/entrance.ts";
import { targetOf } from "../gateway/gateway-event.ts";
import type { UpgradeListener } from "../gateway/http-server.ts";
import type { LoggedRequest } from "../gateway/request-log.ts";
import { type Background, printError, type Report } from "../timer.ts";
import { messageLimit } from "./connections-api.ts";
import type { FrameLog } from "./frame-log.ts";
import type { AdmittedSocket, OpenSocket, OpenSockets } from "./open-sockets.ts";
import {
  connectEvent,
  disconnectEvent,
  identify,
  messageEvent,
  otherFrames,
  routeOf,
  type SocketEvent,
} from "./socket-event.ts";

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
  /** Gets the line of each frame. */
  readonly frameLog: Pick<FrameLog, "note">;
  readonly clock: Clock;
  readonly limits?: SocketLimits;
  readonly onRequest?: (request: LoggedRequest) => void;
  /** Called with what the function throws. */
  readonly report?: Report;
}

export interface SocketGateway extends Background {
  readonly upgrade: UpgradeListener;
}

interface Outcome {
  readonly status: number;
  readonly body?: string;
}

const badGateway = 502;
/** How long a client has to answer the close frame when the stack stops. */
const closeGraceMilliseconds = 500;

/**
 * Create the WebSocket API on this machine: its routes call the function with the events of AWS, except the route of
 * pings, which the API answers itself. The messages of a socket are handled in order, one at a time.
 */
export function createSocketGateway({
  sockets,
  functionName,
  entranceSecret,
  invoke,
  frameLog,
  clock,
  limits: { idleSeconds = 600, lifetimeSeconds = 7200 } = {},
  onRequest,
  report = printError,
}: SocketGatewayOptions): SocketGateway {
  /** Call the function for one event. A failure is reported, and answered as by API Gateway. */
  async function call(event: SocketEvent, path: string): Promise<Outcome> {
    const { routeKey, connectionId, requestId } = event.requestContext;
    const startedAt = performance.now();
    const at = new Date().toISOString();
    let outcome: Outcome;
    try {
      outcome = readResult(await invoke(event));
    } catch (error) {
      report(error);
      const message = JSON.stringify({ message: "Internal server error", connectionId, requestId });
      outcome = { status: badGateway, body: message };
    }
    const isHandshake = routeKey === "$connect";
    onRequest?.({
      id: requestId,
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

  /** Reports events that are answered without the function. */
  function logOwnAnswer(method: string, path: string, status: number): void {
    const at = new Date().toISOString();
    onRequest?.({
      id: randomUUID(),
      at,
      api: "sockets",
      method,
      path,
      status,
      milliseconds: 0,
      functionName: undefined,
    });
  }

  const logRefusal = ({ method = "", url = "" }: IncomingMessage, status: number) =>
    logOwnAnswer(method, targetOf(url)?.path ?? "", status);

  /** Does the work of API Gateway's mock integration. */
  function answerPing(path: string): Outcome {
    logOwnAnswer(otherFrames, path, 200);
    return { status: 200, body: pong };
  }

  /** Call the function for an acknowledgement. Its route returns only errors to the client. */
  async function acknowledge(event: SocketEvent, path: string): Promise<Outcome> {
    const outcome = await call(event, path);
    return isSuccess(outcome) ? { status: outcome.status } : outcome;
  }

  async function admit(request: IncomingMessage): Promise<AdmittedSocket | number> {
    const { path, query } = targetOf(request.url ?? "") ?? { path: "", query: "" };
    const target = socketTarget(path);
    if (target === undefined) {
      logRefusal(request, 404);
      return 404;
    }
    const identity = identify(request, clock());
    const addedHeaders =
      entranceSecret === undefined ? undefined : enter(request, path, entranceSecret).headers;
    const outcome = await call(connectEvent(request, identity, { query, target, addedHeaders }), path);
    return isSuccess(outcome) ? { identity, path, userId: userIn(request, query) } : outcome.status;
  }

  /**
   * Lists the socket while it is open, and closes it when it is idle for too long or reaches the end of its lifetime.
   */
  function keep(admitted: AdmittedSocket, webSocket: WebSocket): void {
    const end = () => webSocket.close(goingAway.code, goingAway.reason);
    const idleTimer = setTimeout(end, idleSeconds * 1000);
    const lifeTimer = setTimeout(end, lifetimeSeconds * 1000);
    const socket: OpenSocket = {
      ...admitted,
      webSocket,
      lastActiveAt: clock(),
      touch() {
        socket.lastActiveAt = clock();
        idleTimer.refresh();
      },
    };
    sockets.add(socket);
    webSocket.on("ping", socket.touch);
    webSocket.on("pong", socket.touch);
    webSocket.on("message", socket.touch);
    webSocket.on("close", () => {
      clearTimeout(idleTimer);
      clearTimeout(lifeTimer);
      sockets.remove(socket);
    });
  }

  const server = createSocketServer<AdmittedSocket>(
    {
      admit,
      refused: logRefusal,
      opened: keep,
      async received({ identity, path }, { data, isBinary }) {
        const routeKey = routeOf(data);
        const at = clock();
        const { status, body } =
          routeKey === otherFrames
            ? answerPing(path)
            : await acknowledge(messageEvent(identity, { routeKey, data, isBinary, now: at }), path);
        frameLog.note({ ...identity, routeKey, status, at });
        const socket = sockets.get(identity.connectionId);
        if (body !== undefined && socket !== undefined) sockets.send(socket, body);
      },
      closed: ({ identity, path }, closure) =>
        call(disconnectEvent(identity, { ...closure, now: clock() }), path),
    },
    { maxMessageBytes: messageLimit },
  );

  return {
    upgrade: server.upgrade,
    async stop() {
      server.refuseAll();
      await Promise.all(
        sockets.all().map(({ webSocket }) => closeInTime(webSocket, goingAway, closeGraceMilliseconds)),
      );
      await server.settled();
    },
  };
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
  return userIdIn(bearer ?? new URLSearchParams(query).get("access_token") ?? "");
}
