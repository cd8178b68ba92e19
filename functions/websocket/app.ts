import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from "aws-lambda";
import type { Config } from "#shared/config.ts";
import { ApiError } from "#shared/errors.ts";
import type { Overrides } from "#shared/runtime.ts";
import { createDeps } from "./deps.ts";
import { type ConnectEvent, openSocket } from "./open-socket.ts";
import { readFrame } from "./read-frame.ts";

/** The three routes of the WebSocket API. */
export function createApp(config: Config, overrides?: Overrides) {
  const deps = createDeps(config, overrides);
  const { deviceQueues, log, sockets } = deps;

  async function handle(event: APIGatewayProxyWebsocketEventV2): Promise<APIGatewayProxyStructuredResultV2> {
    const { connectionId, routeKey } = event.requestContext;
    if (routeKey === "$connect") {
      await openSocket(deps, event as ConnectEvent);
      return { statusCode: 200 };
    }
    const socket = await sockets.get(connectionId);
    if (routeKey === "$disconnect") {
      if (socket !== undefined) await deviceQueues.retire(socket);
      return { statusCode: 200 };
    }
    const text = event.isBase64Encoded
      ? Buffer.from(event.body ?? "", "base64").toString()
      : (event.body ?? "");
    const answer = await readFrame(deps, { socketId: connectionId, socket, text });
    return { statusCode: 200, body: answer };
  }

  return async (event: APIGatewayProxyWebsocketEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const { requestId, routeKey } = event.requestContext;
    try {
      return await handle(event);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return { statusCode: error.status };
      log.error("socket-failed", { requestId, routeKey, error: error as Error });
      return { statusCode: 500 };
    }
  };
}
