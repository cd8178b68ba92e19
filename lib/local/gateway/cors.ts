import type { IncomingMessage, ServerResponse } from "node:http";
import { cors } from "../../cors.ts";

/** Set the headers that an HTTP API adds for an allowed origin, replacing the function's own. */
export function addCorsHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  origins: readonly string[],
): void {
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-allow-credentials", "true");
  response.setHeader("access-control-expose-headers", cors.exposedHeaders.join(","));
  response.appendHeader("vary", "origin");
}

/** Whether the gateway itself answers: an HTTP API does so to every preflight, but only with CORS configured. */
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
    response.setHeader("access-control-allow-methods", cors.methods.join(","));
    response.setHeader("access-control-allow-headers", cors.headers.join(","));
    response.setHeader("access-control-max-age", cors.maxAgeSeconds);
  }
  response.end();
}
