import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from "aws-lambda";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import type { Deps } from "./deps.ts";
import { type ConnectEvent, openSocket } from "./open-socket.ts";
import { readFrame } from "./read-frame.ts";

/** Handle the opening and closing of sockets, and the frames that acknowledge something; pings never get here. */
export function createHandler(deps: Deps) {
  const { deviceQueues, log, sockets } = deps;

  async function handle(event: APIGatewayProxyWebsocketEventV2): Promise<APIGatewayProxyStructuredResultV2> {
    const { connectionId, routeKey } = event.requestContext;
    if (routeKey === "$connect") {
      await openSocket(deps, event as ConnectEvent);
      return { statusCode: 200 };
    }
    if (routeKey === "$disconnect") {
      const socket = await sockets.get(connectionId);
      if (socket !== undefined) await deviceQueues.retire(socket);
      return { statusCode: 200 };
    }
    const text = event.isBase64Encoded
      ? Buffer.from(event.body ?? "", "base64").toString()
      : (event.body ?? "");
    await readFrame(deps, connectionId, text);
    return { statusCode: 200 };
  }

  return async (event: APIGatewayProxyWebsocketEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const { requestId, routeKey } = event.requestContext;
    try {
      return await handle(event);
    } catch (error) {
      const { status } = toApiError(error);
      if (status < 500) return { statusCode: status };
      log.error("socket-failed", { requestId, routeKey, error: error as Error });
      return { statusCode: 500 };
    }
  };
}
