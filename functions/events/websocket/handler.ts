import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from "aws-lambda";
import { isDeviceSocket } from "#shared/events/sockets/device-queues.ts";
import { clientFrame } from "#shared/events/sockets/frames.ts";
import { relayOf } from "#shared/events/sockets/relay.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { charge } from "#shared/platform/usage/measured-work.ts";
import { refusalAfterFlood, tooManyFrames } from "#shared/sessions/flood-refusal.ts";
import type { Deps } from "./deps.ts";
import { type ConnectEvent, openSocket } from "./open-socket.ts";

export { createDeps } from "./deps.ts";

/** `$disconnect` says how the socket ended, which the event type leaves out. */
interface DisconnectEvent {
  readonly requestContext: { readonly connectionId: string; readonly disconnectStatusCode?: number };
}

/** Handle the opening and closing of sockets, and the frames that acknowledge something; pings never get here. */
export function createHandler(deps: Deps) {
  const { accounts, clock, deviceQueues, log, poster, sockets } = deps;

  async function handle(event: APIGatewayProxyWebsocketEventV2): Promise<APIGatewayProxyStructuredResultV2> {
    const { connectionId, routeKey } = event.requestContext;
    if (routeKey === "$connect") {
      await openSocket(deps, event as ConnectEvent);
      return { statusCode: 200 };
    }
    if (routeKey === "$disconnect") {
      await closeSocket(event);
      return { statusCode: 200 };
    }
    const text = event.isBase64Encoded
      ? Buffer.from(event.body ?? "", "base64").toString()
      : (event.body ?? "");
    const refusal = await readFrame(deps, connectionId, text);
    if (refusal === undefined) return { statusCode: 200 };
    // A relay closes the socket itself, with the reason.
    if (relayOf(connectionId) !== undefined) return { statusCode: 400, body: refusal };
    await poster.close(connectionId);
    return { statusCode: 200 };
  }

  async function closeSocket({ requestContext }: DisconnectEvent): Promise<void> {
    const { connectionId, disconnectStatusCode } = requestContext;
    const socket = await sockets.get(connectionId);
    if (socket === undefined) return;
    await charge(async () => (await accounts.get(socket.userId))?.teamId);
    // On API Gateway, the code is the client's and may be anything; there, `socket-floods` counts frames.
    const isFlood = relayOf(connectionId) !== undefined && disconnectStatusCode === tooManyFrames;
    if (isFlood) await sockets.refuse(socket.userId, refusalAfterFlood(socket, clock()));
    await deviceQueues.retire(socket);
    if (!isFlood) return;
    const { userId, clientId } = socket;
    log.warn("socket-flood", { socketId: connectionId, userId, clientId });
    emitMetric("FloodedSockets", { value: 1, unit: "Count", audience: "public", log });
  }

  return async (event: APIGatewayProxyWebsocketEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const { requestId, routeKey } = event.requestContext;
    try {
      return await handle(event);
    } catch (error) {
      const { status } = toApiError(error);
      if (status < 500) return { statusCode: status };
      emitMetric("FailedSocketRequests", { value: 1, unit: "Count", audience: "public", log });
      log.error("socket-failed", { requestId, routeKey, error: error as Error });
      return { statusCode: status };
    }
  };
}

/** Reasons to close a socket because of a frame, as its client sees them. */
type FrameRefusal = "failed-to-parse" | "unexpected-ack" | "websocket-failure";

/**
 * Handle a frame from a client, which has no answer. On `/await` it is ignored.
 * @returns why the socket has to close: on `/events`, for any frame but an acknowledgement, and for one out of order
 */
async function readFrame(
  { deviceQueues, sockets }: Deps,
  socketId: string,
  text: string,
): Promise<FrameRefusal | undefined> {
  const socket = await sockets.get(socketId);
  if (socket === undefined) return "websocket-failure";
  if (socket.endpoint === "await") return undefined;
  const frame = clientFrame.safeParse(parseJson(text));
  if (!frame.success) return "failed-to-parse";

  const isFullSync = frame.data.type === "ack_full_sync";
  if (isFullSync !== (socket.awaitsFullSync ?? false)) return "unexpected-ack";
  // Without a device there is nothing to acknowledge, because sent events are not kept.
  if (!isDeviceSocket(socket)) return undefined;
  if (frame.data.type === "ack_full_sync") await deviceQueues.acknowledgeFullSync(socket);
  else await deviceQueues.acknowledge(socket, frame.data.data.delivery_tag, frame.data.data.multiple);
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
