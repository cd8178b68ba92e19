import type { IncomingMessage, ServerResponse } from "node:http";

/** What browser clients of the allowed origins may do; the public HTTP API on AWS is configured alike. */
const allowedMethods = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"].join(",");
const allowedHeaders = ["authorization", "content-type"].join(",");
const maxAgeSeconds = 86_400;

/** Sets the headers that an HTTP API adds for an allowed origin, in place of the function's own. */
export function addCorsHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  origins: readonly string[],
): void {
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-allow-credentials", "true");
  response.appendHeader("vary", "origin");
}

/** With CORS configured, an HTTP API answers every preflight itself; without it the function gets it. */
export const isPreflight = ({ method, headers }: IncomingMessage, origins: readonly string[]) =>
  origins.length > 0 && method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

export function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  origins: readonly string[],
): void {
  const { origin } = request.headers;
  response.statusCode = 204;
  if (origin !== undefined && origins.includes(origin)) {
    addCorsHeaders(request, response, origins);
    response.setHeader("access-control-allow-methods", allowedMethods);
    response.setHeader("access-control-allow-headers", allowedHeaders);
    response.setHeader("access-control-max-age", maxAgeSeconds);
  }
  response.end();
}
