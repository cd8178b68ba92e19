import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Clock } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { renderError } from "#shared/platform/http/render.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { type Audience, gatewayRoutes, resolveRoute } from "../../gateway-routes.ts";
import { isPreflight, type OriginRule, preflightReply, withCorsHeaders } from "./cors.ts";
import { enter } from "./entrance.ts";
import { createEvent, type GatewayEvent, targetOf } from "./gateway-event.ts";
import { errorReply, type Reply, sendReply, toReply } from "./gateway-reply.ts";
import { type LocalServer, listen, type UpgradeListener } from "./http-server.ts";
import { isLocalOrigin, isLocalProgram } from "./local-caller.ts";
import { loggedPaths } from "./logged-path.ts";
import { readBody } from "./read-body.ts";
import type { LoggedRequest } from "./request-log.ts";
import { readRequestPath } from "./request-path.ts";

export interface GatewayOptions {
  readonly audience: Audience;
  readonly families: readonly Family[];
  /** 0 for any free port. */
  readonly port: number;
  /** Origins besides those on this machine whose pages may call the public API. */
  readonly corsAllowedOrigins: readonly string[];
  /** Makes the gateway act like a distribution in front of it. */
  readonly entranceSecret?: string;
  readonly clock: Clock;
  readonly invoke: (functionName: string, event: GatewayEvent) => Promise<unknown>;
  readonly onRequest?: (request: LoggedRequest) => void;
  /** Without it, a request for a WebSocket is answered like any other. */
  readonly onUpgrade?: UpgradeListener;
}

/** Largest body that an HTTP API takes, in bytes. */
const bodyLimit = 10 * 1024 * 1024;
/** Largest event that Lambda takes, in bytes (quota "invocation payload", synchronous). */
const eventLimit = 6 * 1024 * 1024;
const clientClosedRequest = 499;

/** Unlike API Gateway, in the format of functions. */
const bodyTooLarge = toReply(renderError(new ApiError("body-too-large")));

/**
 * Start one of the two HTTP APIs on this machine: the same routes, events and results as on AWS.
 * @throws SetupError when the port is taken
 */
export function startGateway({
  audience,
  families,
  port,
  corsAllowedOrigins,
  entranceSecret,
  clock,
  invoke,
  onRequest,
  onUpgrade,
}: GatewayOptions): Promise<LocalServer> {
  const routes = gatewayRoutes(families, audience);
  const loggedPath = loggedPaths(families);
  const isAllowed: OriginRule = (origin) =>
    audience === "public" && (isLocalOrigin(origin) || corsAllowedOrigins.includes(origin));

  async function call(request: IncomingMessage): Promise<{ reply: Reply; functionName?: string }> {
    // On AWS, a request needs a signature; here, it must only not come from a page in a browser.
    if (audience === "internal" && !isLocalProgram(request.headers)) {
      return { reply: errorReply(403, "Forbidden") };
    }
    const body = await readBody(request, bodyLimit);
    if (body === undefined) return { reply: bodyTooLarge };
    const target = targetOf(request.url ?? "");
    if (target === undefined) return { reply: errorReply(400, "Bad Request") };
    const entered = entranceSecret === undefined ? undefined : enter(request, target.path, entranceSecret);
    const path = readRequestPath(entered?.path ?? target.path);
    const route = path && resolveRoute(routes, path.routed);
    if (path === undefined || route === undefined) return { reply: errorReply(400, "Bad Request") };
    const functionName = route.family;
    const event = createEvent(request, {
      audience,
      path,
      query: target.query,
      addedHeaders: entered?.headers,
      route,
      body,
      requestId: randomUUID(),
      now: clock(),
    });
    if (isTooLarge(event)) return { functionName, reply: bodyTooLarge };
    try {
      return { functionName, reply: toReply(await invoke(functionName, event)) };
    } catch (error) {
      console.error(error);
      return { functionName, reply: errorReply(500, "Internal Server Error") };
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const at = new Date().toISOString();
    let functionName: string | undefined;
    response.on("close", () => {
      onRequest?.({
        at,
        api: audience,
        method: request.method ?? "",
        path: loggedPath(targetOf(request.url ?? "")?.path ?? ""),
        status: response.writableFinished ? response.statusCode : clientClosedRequest,
        milliseconds: performance.now() - startedAt,
        functionName,
      });
    });
    if (audience === "public" && isPreflight(request)) {
      sendReply(response, preflightReply(request, isAllowed));
      return;
    }
    const result = await call(request);
    functionName = result.functionName;
    sendReply(response, withCorsHeaders(request, isAllowed, result.reply));
  }

  const listener: RequestListener = (request, response) => {
    answer(request, response).catch((error) => {
      // A client that disconnects while it sends its body is not our error.
      if (!request.destroyed || request.complete) console.error(error);
      response.destroy();
    });
  };
  return listen(listener, port, onUpgrade);
}

/** Whether an event is too large for Lambda. Measured only if it could be, because that takes a copy of the event. */
const isTooLarge = (event: GatewayEvent): boolean =>
  (event.body?.length ?? 0) > eventLimit / longestEscape &&
  Buffer.byteLength(JSON.stringify(event)) > eventLimit;
/** Bytes for one unit of a text within JSON. */
const longestEscape = 6;
