import { SendMessageCommand } from "@aws-sdk/client-sqs";
import type { APIGatewayProxyWebsocketEventV2 } from "aws-lambda";
import * as z from "zod";
import type { Socket } from "#shared/data/socket/socket.ts";
import { noteActivity } from "#shared/devices/note-activity.ts";
import { ApiError } from "#shared/errors.ts";
import { verifyBearer } from "#shared/http/authenticate.ts";
import { bearerIn } from "#shared/http/request.ts";
import { apiVersions, versionNumber } from "#shared/http/versions.ts";
import type { Settings } from "#shared/settings.ts";
import { isDeviceSocket } from "#shared/sockets/device-queues.ts";
import type { SocketStart } from "#shared/sockets/socket-start.ts";
import type { Deps } from "./deps.ts";

/** `$connect` carries the handshake's headers and query, which the event type leaves out. */
export type ConnectEvent = APIGatewayProxyWebsocketEventV2 & {
  readonly headers?: Record<string, string | undefined>;
  readonly queryStringParameters?: Record<string, string | undefined>;
};

const idText = z.string().min(1).max(64).optional().catch(undefined);

const connectQuery = z.object({
  /** Set by what stands in front of the WebSocket API, from the path. */
  endpoint: z.enum(["await", "events"]).default("await"),
  version: z.string().default(""),
  access_token: z.string().optional(),
  client: idText,
  client_id: idText,
  sync_marker: z.string().min(1).max(256).optional().catch(undefined),
});

/** First version that has `/events`, and the first that has its `sync_marker`. */
const eventsSince = 8;
const syncMarkerSince = 9;

/**
 * Let a client open a socket.
 * @throws ApiError `unauthenticated`, `token-class-forbidden`, `unsupported-version`, `no-such-route`
 */
export async function openSocket(deps: Deps, event: ConnectEvent): Promise<void> {
  const { clock, config, settings, sockets, sqs } = deps;
  const query = connectQuery.parse(event.queryStringParameters ?? {});
  const version = requestedVersion(query.version, settings);
  if (query.endpoint === "events" && version !== undefined && version < eventsSince) {
    throw new ApiError("no-such-route");
  }
  const actor = await verifyBearer(bearerIn(header(event, "authorization")) ?? query.access_token, deps);
  const socket: Socket = {
    socketId: event.requestContext.connectionId,
    endpoint: query.endpoint,
    userId: actor.userId,
    connectionId: actor.connectionId,
    clientId: query.client ?? query.client_id,
    syncMarker: version === undefined || version >= syncMarkerSince ? query.sync_marker : undefined,
    openedAt: clock(),
  };
  await Promise.all([sockets.open(socket), noteActivity(deps, socket.userId, socket.clientId)]);
  if (!isDeviceSocket(socket)) return;
  const { socketId } = socket;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: config.queueUrl("events"),
      MessageBody: JSON.stringify({ socketId } satisfies SocketStart),
      MessageGroupId: `socket#${socketId}`,
      MessageDeduplicationId: socketId,
    }),
  );
}

/** Undefined without a version in the path. @throws ApiError `unsupported-version` */
function requestedVersion(text: string, settings: Settings): number | undefined {
  if (text === "") return undefined;
  const version = versionNumber(text);
  if (version === undefined || !apiVersions(settings).served.has(version))
    throw new ApiError("unsupported-version");
  return version;
}

const header = ({ headers }: ConnectEvent, name: string): string | undefined =>
  Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
