import middy, { type MiddlewareObj } from "@middy/core";
import type { Context } from "aws-lambda";
import type * as z from "zod";
import type { JwtVerifier } from "../auth/jwt.ts";
import type { TokenVerifier } from "../auth/token-verifier.ts";
import { ApiError } from "../errors.ts";
import type { Family } from "../family.ts";
import type { Log } from "../log.ts";
import type { Settings } from "../settings.ts";
import { authenticate } from "./authenticate.ts";
import { readBody } from "./read-body.ts";
import { type HttpResult, renderError, renderReply, toBadRequest } from "./render.ts";
import { bearerToken, cookieValues, type HttpEvent, isInternalRequest, queryOf } from "./request.ts";
import type { Reply, Route } from "./route.ts";
import { type MatchedRoute, Router } from "./router.ts";
import { apiVersions } from "./versions.ts";

export interface ApiDeps {
  readonly settings: Settings;
  readonly log: Log;
  /** Absent in a family that authenticates nobody. */
  readonly verifier?: TokenVerifier;
  readonly jwtVerifier?: JwtVerifier;
  /** How errors are answered; absent: as JSON. */
  readonly refuse?: (error: ApiError, event: HttpEvent) => HttpResult;
}

/** Handlers of any family; `createHandlers` of each is typed by its own routes. */
type AnyHandlers = Readonly<Record<string, (input: never) => Promise<Reply<Route>> | Reply<Route>>>;

export type ApiHandler = (event: HttpEvent, context: Context) => Promise<HttpResult>;

/**
 * The Lambda handler of a family. One request: match the route, authenticate, parse path, query and body, call the
 * handler, strip and render its reply. Around it: errors become answers, headers are added, one line is logged.
 */
export function createApiHandler(family: Family, handlers: AnyHandlers, deps: ApiDeps): ApiHandler {
  const router = new Router(family.routes, apiVersions(deps.settings));
  const matches = new WeakMap<HttpEvent, MatchedRoute>();

  const handle = async (event: HttpEvent): Promise<HttpResult> => {
    const { method } = event.requestContext.http;
    const match = router.match(method, event.rawPath, { isInternal: isInternalRequest(event) });
    matches.set(event, match);
    const { operationId, route } = match;
    const actor = await authenticate(event, route, deps);
    const input = {
      params: parse("path", route.params, match.params),
      query: parse("query", route.query, Object.fromEntries(queryOf(event))),
      body: parse("body", route.body, readBody(event, route)),
      headers: parse("header", route.headers, headersFor(route, event)),
      actor,
      version: match.version,
      isPrefixed: match.isPrefixed,
      requestId: event.requestContext.requestId,
      sourceIp: event.requestContext.http.sourceIp,
      cookies: cookieValues(event, "zuid"),
      cookiesNamed: (name: string) => cookieValues(event, name),
      bearer: bearerToken(event),
    };
    const handler = handlers[operationId];
    if (handler === undefined) throw new Error(`${family.name} has no handler for ${operationId}`);
    const result = renderReply(route, await handler(input as never));
    return method === "HEAD" ? { ...result, body: "" } : result;
  };

  return middy<HttpEvent, HttpResult>()
    .use(accessLog(deps.log, matches))
    .use(responseHeaders())
    .use(errorAnswers(deps, matches))
    .handler(handle) as unknown as ApiHandler;
}

type Middleware = MiddlewareObj<HttpEvent, HttpResult>;

/** Errors of the catalogue as they are; anything else is a 500 that says nothing outside and everything in the log. */
function errorAnswers(
  { log, refuse = renderError }: ApiDeps,
  matches: WeakMap<HttpEvent, MatchedRoute>,
): Middleware {
  return {
    onError: (request) => {
      const error = toApiError(request.error);
      if (error.status >= 500) {
        const { operationId } = matches.get(request.event) ?? {};
        log.error("request-failed", {
          requestId: request.event.requestContext.requestId,
          operationId,
          error: request.error as Error,
        });
      }
      request.response = refuse(error, request.event);
    },
  };
}

const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError("server-error", { cause: error });

/** What every answer carries unless its handler says otherwise (OWASP REST Security Cheat Sheet). */
const defaultHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
};

function responseHeaders(): Middleware {
  const add: Middleware["after"] = ({ event, response }) => {
    if (response === undefined || response === null) return;
    response.headers = {
      ...defaultHeaders,
      "x-request-id": event.requestContext.requestId,
      ...response.headers,
    };
  };
  return { after: add, onError: add };
}

/** One line per request: what was asked, what was answered, how long it took. No headers, query or body. */
function accessLog(log: Log, matches: WeakMap<HttpEvent, MatchedRoute>): Middleware {
  const startedAt = new WeakMap<HttpEvent, number>();
  const write: Middleware["after"] = ({ event, response, error }) => {
    const match = matches.get(event);
    log.info("request", {
      requestId: event.requestContext.requestId,
      operation: match?.operationId,
      method: event.requestContext.http.method,
      version: match?.version,
      status: response?.statusCode,
      error: error instanceof ApiError ? error.error : undefined,
      milliseconds: Math.round(performance.now() - (startedAt.get(event) ?? 0)),
    });
  };
  return {
    before: ({ event }) => {
      startedAt.set(event, performance.now());
    },
    after: write,
    onError: write,
  };
}

const headersFor = ({ headers }: Route, event: HttpEvent) =>
  Object.fromEntries(
    Object.keys(headers?.shape ?? {}).map((name) => [name, event.headers[name.toLowerCase()]]),
  );

function parse(part: string, schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (!result.success) throw toBadRequest(part, result.error);
  return result.data;
}
