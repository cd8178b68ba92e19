import type { IncomingMessage } from "node:http";
import type { RelayStore } from "#shared/events/sockets/relay-store.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { createLog } from "#shared/platform/log.ts";
import { userIdIn } from "#shared/sessions/tokens/token.ts";
import { type Relay, startRelay } from "../../relay/relay.ts";
import { removeAllRelays } from "../../relay/relay-membership.ts";
import type { RelayEvent } from "../../relay/relay-sockets.ts";
import { enter } from "../gateway/entrance.ts";
import type { LoggedRequest } from "../gateway/request-log.ts";
import { type SocketPost, toPost } from "./post-log.ts";

/**
 * Start the relay of a deployment on this machine, in this process. It calls the local function, and shows its frames
 * and handshakes in the dev console.
 */
export async function startLocalRelay({
  invoke,
  functionName,
  relays,
  queues,
  isAlone,
  entranceSecret,
  clock,
  onRequest,
  onPost,
}: {
  invoke: (event: RelayEvent) => Promise<unknown>;
  functionName: string;
  relays: RelayStore;
  queues: string;
  isAlone: boolean;
  entranceSecret: string;
  clock: Clock;
  onRequest: ((request: LoggedRequest) => void) | undefined;
  onPost: ((post: SocketPost) => void) | undefined;
}): Promise<Relay> {
  const shown = new Map<string, Pick<SocketPost, "path" | "userId">>();

  async function call(event: RelayEvent): Promise<unknown> {
    const { connectionId, routeKey } = event.requestContext;
    const startedAt = performance.now();
    const at = new Date().toISOString();
    if (routeKey === "$connect") shown.set(connectionId, describe(event));
    if (routeKey === "$disconnect") shown.delete(connectionId);
    const result = await invoke(event);
    const { statusCode = 200 } = result as { statusCode?: number };
    onRequest?.({
      id: event.requestContext.requestId,
      at,
      api: "sockets",
      method: routeKey === "$connect" ? "GET" : routeKey,
      path: describe(event).path,
      status: routeKey === "$connect" && statusCode === 200 ? 101 : statusCode,
      milliseconds: performance.now() - startedAt,
      functionName,
    });
    return result;
  }

  // Otherwise, relays of an earlier process that was killed would hold the queues of their devices for half a minute.
  if (isAlone) await removeAllRelays({ relays, queues });
  return startRelay({
    invoke: call,
    relays,
    queues,
    clock,
    // When the clock is moved, the relay seems dead until its next sign of life.
    limits: { renewal: 1 },
    log: createLog("relay", process.env.LOG_LEVEL ?? "WARN"),
    entranceHeaders: (request: IncomingMessage, path: string) => enter(request, path, entranceSecret).headers,
    onFrame: (connectionId, frame) =>
      onPost?.(
        toPost(frame, { connectionId, ...(shown.get(connectionId) ?? { path: "", userId: undefined }) }),
      ),
  });
}

/** Path and user of a handshake, for the console only: the function verifies the token. */
function describe({
  headers = {},
  queryStringParameters = {},
}: RelayEvent): Pick<SocketPost, "path" | "userId"> {
  const { endpoint = "", version = "", access_token = "" } = queryStringParameters;
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? access_token;
  const path = version === "" ? `/${endpoint}` : `/${version}/${endpoint}`;
  return { path: endpoint === "" ? "" : path, userId: userIdIn(bearer) };
}
