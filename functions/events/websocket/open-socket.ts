import { SendMessageCommand } from "@aws-sdk/client-sqs";
import type { APIGatewayProxyWebsocketEventV2 } from "aws-lambda";
import * as z from "zod";
import { recordActivity } from "#shared/devices/record-activity.ts";
import { isDeviceSocket } from "#shared/events/sockets/device-queues.ts";
import { newSocketLifetime, type Socket, type SocketStart } from "#shared/events/sockets/socket.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { deviceId } from "#shared/platform/http/device-id.ts";
import { checkEntrance, entranceHeaders } from "#shared/platform/http/entrance.ts";
import { bearerIn } from "#shared/platform/http/request.ts";
import { apiVersions, versionNumber } from "#shared/platform/http/versions.ts";
import { charge } from "#shared/platform/usage/measured-work.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { refusalOf } from "#shared/sessions/flood-refusal.ts";
import { hasEnded, socketsToClose } from "#shared/sessions/sockets-to-close.ts";
import { verifyBearer } from "#shared/sessions/tokens/authenticate.ts";
import { parseToken } from "#shared/sessions/tokens/token.ts";
import type { Deps } from "./deps.ts";

/** `$connect` carries the handshake's headers and query, which the event type leaves out. */
export type ConnectEvent = APIGatewayProxyWebsocketEventV2 & {
  readonly headers?: Record<string, string | undefined>;
  readonly queryStringParameters?: Record<string, string | undefined>;
};

const idText = deviceId.optional().catch(undefined);

const connectQuery = z.object({
  /** Set from the path, by the proxy in front of the WebSocket API. */
  endpoint: z.enum(["await", "events"]).default("await"),
  version: z.string().default(""),
  access_token: z.string().optional(),
  client: idText,
  client_id: idText,
  sync_marker: z.string().min(1).max(256).optional().catch(undefined),
});

/** First version with `/events`, and first version with its `sync_marker`. */
const eventsSince = 8;
const syncMarkerSince = 9;

/**
 * Open a socket for a client.
 * @throws ApiError `forbidden` for requests that bypass the proxy, `unauthenticated`, `token-class-forbidden`,
 *   `unsupported-version`, `no-such-route`, `too-many-requests`
 */
export async function openSocket(deps: Deps, event: ConnectEvent): Promise<void> {
  const { accounts, checks, clock, config, secrets, settings, sockets, sqs } = deps;
  const secret = config.hasEntrance ? await secrets.text("entrance") : undefined;
  checkEntrance(header(event, entranceHeaders.secret), secret);
  const query = connectQuery.parse(event.queryStringParameters ?? {});
  const version = requestedVersion(query.version, settings);
  if (query.endpoint === "events" && version !== undefined && version < eventsSince) {
    throw new ApiError("no-such-route");
  }
  const bearer = bearerIn(header(event, "authorization")) ?? query.access_token ?? "";
  const actor = await verifyBearer(bearer, deps);
  const token = parseToken(bearer);
  const tokenExpiresAt = token !== undefined && "userId" in token ? token.expiresAtSeconds * 1000 : 0;
  const openedAt = clock();
  const expiresAt = openedAt + newSocketLifetime();
  const socket: Socket = {
    socketId: event.requestContext.connectionId,
    endpoint: query.endpoint,
    userId: actor.userId,
    connectionId: actor.connectionId,
    clientId: query.client ?? query.client_id,
    expiresAt,
    tokenExpiresAt,
    syncMarker: version === undefined || version >= syncMarkerSince ? query.sync_marker : undefined,
    openedAt,
  };
  const { socketId, userId } = socket;
  await Promise.all([
    sockets.open(socket),
    // A socket without a session of its own ends with its token. For others, this check determines the next one.
    checks.request({ checkedUserId: userId, socketId, notBefore: Math.min(expiresAt, tokenExpiresAt) }),
    recordActivity(deps, userId, socket.clientId),
    charge(async () => (await accounts.get(userId))?.teamId),
  ]);
  await checkAdmission(deps, socket);
  if (!isDeviceSocket(socket)) return;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: config.queueUrl("events"),
      MessageBody: JSON.stringify({ socketId } satisfies SocketStart),
      MessageGroupId: `socket#${socketId}`,
      MessageDeduplicationId: socketId,
    }),
  );
}

/**
 * Checks that the session of an open socket exists and may open it, and that the user does not have too many sockets.
 * Runs after the socket is recorded, so that ending the session from now on finds and closes the socket.
 *
 * @throws ApiError `unauthenticated` when the token's session has ended, `too-many-requests` after a flood
 */
async function checkAdmission(deps: Deps, socket: Socket): Promise<void> {
  const { checks, clock, deviceQueues, sessions: sessionStore, settings, sockets } = deps;
  const { userId } = socket;
  const [{ sockets: open, refusals }, sessions] = await Promise.all([
    sockets.ofUser(userId),
    sessionStore.get(userId),
  ]);
  const now = clock();
  const isOver = hasEnded(socket, sessions, now);
  const refusal = refusalOf(socket, refusals, now);
  if (isOver || refusal !== undefined) {
    await deviceQueues.retire(socket);
    throw new ApiError(isOver ? "unauthenticated" : "too-many-requests");
  }
  if (socketsToClose(open, { sessions, settings, now }).length > 0) {
    await checks.request({ checkedUserId: userId, notBefore: now });
  }
}

/** Parses the version in the path; undefined if there is none. @throws ApiError `unsupported-version` */
function requestedVersion(text: string, settings: Settings): number | undefined {
  if (text === "") return undefined;
  const version = versionNumber(text);
  if (version === undefined || !apiVersions(settings).served.has(version))
    throw new ApiError("unsupported-version");
  return version;
}

const header = ({ headers }: ConnectEvent, name: string): string | undefined =>
  Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
