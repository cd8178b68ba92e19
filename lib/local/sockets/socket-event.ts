import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type {
  APIGatewayEventWebsocketRequestContextV2,
  APIGatewayProxyWebsocketEventV2WithRequestContext,
} from "aws-lambda";
import { isAcknowledgementType } from "#shared/events/sockets/frames.ts";
import { type SocketTarget, socketStage } from "../../socket-paths.ts";
import { isEntranceHeader } from "../gateway/entrance.ts";
import { logTime, traceId } from "../gateway/gateway-event.ts";

/** One socket, as each of its events describes it. */
export interface SocketIdentity {
  readonly connectionId: string;
  /** Unix milliseconds. */
  readonly connectedAt: number;
  readonly domainName: string;
  readonly sourceIp: string;
  readonly userAgent: string | undefined;
}

interface RequestContext extends Omit<APIGatewayEventWebsocketRequestContextV2, "messageId"> {
  readonly identity: Pick<SocketIdentity, "sourceIp" | "userAgent">;
  readonly messageId?: string;
  readonly disconnectStatusCode?: number;
  readonly disconnectReason?: string;
}

export interface SocketEvent extends APIGatewayProxyWebsocketEventV2WithRequestContext<RequestContext> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
}

/** Headers that concern only client and gateway, and those that the gateway sets. */
const droppedHeaders = /^(connection|upgrade|x-forwarded-(for|port|proto)|x-amzn-trace-id)$/i;

export const identify = (request: IncomingMessage, now: number): SocketIdentity => ({
  connectionId: `${randomBytes(11).toString("base64url")}=`,
  connectedAt: now,
  domainName: (request.headers.host ?? "127.0.0.1").replace(/:\d+$/, ""),
  sourceIp: request.socket.remoteAddress ?? "127.0.0.1",
  userAgent: request.headers["user-agent"],
});

/** The `$connect` event, with query parameters made from the path, which override the client's. */
export function connectEvent(
  request: IncomingMessage,
  identity: SocketIdentity,
  {
    query,
    target,
    addedHeaders,
  }: {
    query: string;
    target: SocketTarget;
    /** Headers set by the entrance, if there is one; then no client can set them. */
    addedHeaders?: Readonly<Record<string, string>> | undefined;
  },
): SocketEvent {
  const parameters = new URLSearchParams(query);
  parameters.set("endpoint", target.endpoint);
  if (target.version === "") parameters.delete("version");
  else parameters.set("version", target.version);
  const queryValues = grouped([...parameters]);
  const sent = headersOf(request, identity);
  const headerValues = grouped(
    addedHeaders === undefined
      ? sent
      : [...sent.filter(([name]) => !isEntranceHeader(name)), ...Object.entries(addedHeaders)],
  );
  return {
    headers: lastOfEach(headerValues),
    multiValueHeaders: headerValues,
    queryStringParameters: lastOfEach(queryValues),
    multiValueQueryStringParameters: queryValues,
    requestContext: contextOf(identity, "$connect", "CONNECT", identity.connectedAt),
    isBase64Encoded: false,
  };
}

/** Route of frames that no other route takes. */
export const otherFrames = "$default";

/**
 * Route of a frame, by the selection expression `$request.body.type`. On AWS, a binary message closes the socket
 * (1003); our API allows it, so it is accepted here.
 */
export function routeOf(data: Buffer): string {
  try {
    const { type } = JSON.parse(data.toString()) ?? {};
    return isAcknowledgementType(type) ? type : otherFrames;
  } catch {
    return otherFrames;
  }
}

/** The event of a frame. */
export const messageEvent = (
  identity: SocketIdentity,
  { routeKey, data, isBinary, now }: { routeKey: string; data: Buffer; isBinary: boolean; now: number },
): SocketEvent => ({
  requestContext: { ...contextOf(identity, routeKey, "MESSAGE", now), messageId: randomUUID() },
  body: data.toString(isBinary ? "base64" : "utf8"),
  isBase64Encoded: isBinary,
});

/** The `$disconnect` event. */
export const disconnectEvent = (
  identity: SocketIdentity,
  { code, reason, now }: { code: number; reason: string; now: number },
): SocketEvent => ({
  requestContext: {
    ...contextOf(identity, "$disconnect", "DISCONNECT", now),
    disconnectStatusCode: code,
    disconnectReason: reason,
  },
  isBase64Encoded: false,
});

function contextOf(
  { connectionId, connectedAt, domainName, sourceIp, userAgent }: SocketIdentity,
  routeKey: string,
  eventType: RequestContext["eventType"],
  now: number,
): RequestContext {
  const requestId = randomUUID();
  return {
    routeKey,
    eventType,
    extendedRequestId: requestId,
    requestTime: logTime(now),
    messageDirection: "IN",
    stage: socketStage,
    connectedAt,
    requestTimeEpoch: now,
    identity: { sourceIp, userAgent },
    requestId,
    domainName,
    connectionId,
    apiId: "sockets",
  };
}

/** Header names keep the client's spelling. */
function headersOf(request: IncomingMessage, { sourceIp, connectedAt }: SocketIdentity): [string, string][] {
  const { rawHeaders } = request;
  const sent = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : [],
  );
  return [
    ...sent.filter(([name]) => !droppedHeaders.test(name)),
    ["X-Amzn-Trace-Id", traceId(connectedAt)],
    ["X-Forwarded-For", [...(request.headersDistinct["x-forwarded-for"] ?? []), sourceIp].join(", ")],
    ["X-Forwarded-Port", String(request.socket.localPort ?? "")],
    ["X-Forwarded-Proto", "http"],
  ];
}

function grouped(entries: readonly [string, string][]): Record<string, string[]> {
  const groups = Map.groupBy(entries, ([name]) => name);
  return Object.fromEntries([...groups].map(([name, values]) => [name, values.map(([, value]) => value)]));
}

const lastOfEach = (values: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? ""]));
