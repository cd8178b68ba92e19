import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isPreflight, type OriginRule, preflightReply, withCorsHeaders } from "../../http/cors-headers.ts";
import { type Reply, sendReply } from "../../http/reply.ts";
import { receiveUpload } from "../../uploads/receive-upload.ts";
import { uploadRule } from "../../uploads/upload-paths.ts";
import { loopback } from "../network-host.ts";
import { createGateway, type GatewayOptions } from "./create-gateway.ts";
import { targetOf } from "./gateway-event.ts";
import { type LocalServer, listen, type UpgradeListener } from "./http-server.ts";
import { isLocalOrigin } from "./local-caller.ts";
import { loggedPaths } from "./logged-path.ts";
import { readBody } from "./read-body.ts";
import { type LoggedRequest, payloadOf } from "./request-log.ts";

export interface ServedGatewayOptions extends GatewayOptions {
  /** 0 for any free port. */
  readonly port: number;
  /**
   * Address of this machine to listen on, whose pages may also call the public API; only this machine reaches the
   * default.
   */
  readonly host?: string;
  /** Further origins, besides those on this machine, whose pages may call the public API. */
  readonly corsAllowedOrigins: readonly string[];
  /** Whether cookies lose `Secure`, which keeps clients from sending them without TLS; false by default. */
  readonly hasPlainCookies?: boolean;
  readonly onRequest?: (request: LoggedRequest) => void;
  /** Without it, a request for a WebSocket is answered like any other. */
  readonly onUpgrade?: UpgradeListener;
}

/** Largest body that an HTTP API accepts, in bytes. */
const bodyLimit = 10 * 1024 * 1024;
const clientClosedRequest = 499;

/**
 * Start one of the two HTTP APIs on this machine: the same routes, events and results as on AWS.
 * @throws SetupError when the port is taken
 */
export function startGateway({
  audience,
  families,
  port,
  host = loopback,
  corsAllowedOrigins,
  hasPlainCookies = false,
  entranceSecret,
  clock,
  invoke,
  report,
  onRequest,
  onUpgrade,
}: ServedGatewayOptions): Promise<LocalServer> {
  const call = createGateway({ audience, families, entranceSecret, clock, invoke, report });
  const loggedPath = loggedPaths(families);
  const isUpload = uploadRule(families);
  const isAllowed: OriginRule = (origin) =>
    audience === "public" && (isLocalOrigin(origin, host) || corsAllowedOrigins.includes(origin));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const at = new Date().toISOString();
    const id = randomUUID();
    let functionName: string | undefined;
    let body: Buffer | undefined;
    let reply: Reply | undefined;
    response.on("close", () => {
      onRequest?.({
        id,
        at,
        api: audience,
        method: request.method ?? "",
        path: loggedPath(targetOf(request.url ?? "")?.path ?? ""),
        status: response.writableFinished ? response.statusCode : clientClosedRequest,
        milliseconds: performance.now() - startedAt,
        functionName,
        exchange: {
          url: request.url ?? "",
          headers: request.headers,
          body: payloadOf(body),
          reply: reply && {
            contentType: reply.headers["content-type"] ?? "",
            body: payloadOf(reply.body),
            location: reply.headers.location,
          },
        },
      });
    });
    if (audience === "public" && isPreflight(request)) {
      sendReply(response, preflightReply(request, isAllowed));
      return;
    }
    // Redirects people who open the root, where there is no operation.
    if (audience === "internal" && request.method === "GET" && request.url === "/") {
      response.writeHead(302, { location: "/i/docs" }).end();
      return;
    }
    const { method = "", url = "" } = request;
    const upload = audience === "public" && isUpload(method, url) ? receiveUpload(request) : undefined;
    if (upload === undefined) body = await readBody(request, bodyLimit);
    const result = await call(request, upload?.content ?? body, id);
    functionName = result.functionName;
    reply = hasPlainCookies ? withPlainCookies(result.reply) : result.reply;
    sendReply(response, withCorsHeaders(request, isAllowed, reply));
    upload?.dropRest();
  }

  const listener: RequestListener = (request, response) => {
    answer(request, response).catch((error) => {
      // A client that disconnects while it sends its body is no error of ours.
      if (!request.destroyed || request.complete) console.error(error);
      response.destroy();
    });
  };
  return listen(listener, port, onUpgrade, host);
}

/** Without TLS, the cookie jars of most languages and some browsers never send a cookie with `Secure`. */
const withPlainCookies = (reply: Reply): Reply => ({
  ...reply,
  cookies: reply.cookies.map((cookie) => cookie.replace(/; *Secure(?=;|$)/i, "")),
});
