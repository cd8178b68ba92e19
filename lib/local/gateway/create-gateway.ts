import { randomUUID } from "node:crypto";
import type { Clock } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { renderError } from "#shared/platform/http/render.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { type Audience, gatewayRoutes, resolveRoute } from "../../gateway-routes.ts";
import { errorReply, type Reply, toReply } from "../../http/reply.ts";
import { printError, type Report } from "../timer.ts";
import { enter } from "./entrance.ts";
import { createEvent, type GatewayEvent, targetOf } from "./gateway-event.ts";
import { isLocalProgram, readsInternalDocument } from "./local-caller.ts";
import type { RequestHead } from "./request-head.ts";
import { readRequestPath } from "./request-path.ts";

export interface GatewayOptions {
  readonly audience: Audience;
  readonly families: readonly Family[];
  /** Makes the gateway act like a distribution in front of it. */
  readonly entranceSecret?: string;
  readonly clock: Clock;
  readonly invoke: (functionName: string, event: GatewayEvent | StreamedEvent) => Promise<unknown>;
  /** Called with the error that a function throws. */
  readonly report?: Report;
}

/** An event whose body is still arriving. */
type StreamedEvent = GatewayEvent & { readonly stream: AsyncIterable<Uint8Array> };

/**
 * Handles a request once it has been read.
 * @param body undefined if it is larger than an HTTP API accepts; a stream for an upload, as on a relay
 * @param requestId id of the request for functions; a new one by default
 */
export type Gateway = (
  request: RequestHead,
  body: Buffer | AsyncIterable<Uint8Array> | undefined,
  requestId?: string,
) => Promise<{ reply: Reply; functionName?: string }>;

/** Largest event that Lambda accepts, in bytes (quota "invocation payload", synchronous). */
const eventLimit = 6 * 1024 * 1024;

/** Unlike with API Gateway, in the format of functions. */
const bodyTooLarge = toReply(renderError(new ApiError("body-too-large")));

/** Create one of the two HTTP APIs without a server: the same routes, events and results as on AWS. */
export function createGateway({
  audience,
  families,
  entranceSecret,
  clock,
  invoke,
  report = printError,
}: GatewayOptions): Gateway {
  const routes = gatewayRoutes(families, audience);
  return async (request, body, requestId = randomUUID()) => {
    // On AWS, a request needs a signature; here, it only must not come from a page in a browser.
    if (audience === "internal" && !isLocalProgram(request.headers) && !readsInternalDocument(request)) {
      return { reply: errorReply(403, "Forbidden") };
    }
    if (body === undefined) return { reply: bodyTooLarge };
    const target = targetOf(request.url ?? "");
    if (target === undefined) return { reply: errorReply(400, "Bad Request") };
    const entered = entranceSecret === undefined ? undefined : enter(request, target.path, entranceSecret);
    const path = readRequestPath(entered?.path ?? target.path);
    const route = path && resolveRoute(routes, path.routed);
    if (path === undefined || route === undefined) return { reply: errorReply(400, "Bad Request") };
    const functionName = route.family;
    const isWhole = Buffer.isBuffer(body);
    const event = createEvent(request, {
      audience,
      path,
      query: target.query,
      addedHeaders: entered?.headers,
      route,
      body: isWhole ? body : Buffer.alloc(0),
      requestId,
      now: clock(),
    });
    if (isTooLarge(event)) return { functionName, reply: bodyTooLarge };
    try {
      const sent = isWhole ? event : { ...event, stream: body };
      return { functionName, reply: toReply(await invoke(functionName, sent)) };
    } catch (error) {
      report(error);
      return { functionName, reply: errorReply(500, "Internal Server Error") };
    }
  };
}

/**
 * Whether an event is too large for Lambda. Measured only if that is possible at all, because measuring copies the
 * event.
 */
const isTooLarge = (event: GatewayEvent): boolean =>
  (event.body?.length ?? 0) > eventLimit / longestEscape &&
  Buffer.byteLength(JSON.stringify(event)) > eventLimit;
/** Most bytes for one UTF-16 unit of a text within JSON. */
const longestEscape = 6;
