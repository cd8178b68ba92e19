import type { IncomingMessage } from "node:http";
import { alsoVarying } from "#shared/platform/http/also-varying.ts";
import { cors, preflightHeaders } from "../cors.ts";
import type { Reply } from "./reply.ts";

/** Whether pages of an origin may call the API. */
export type OriginRule = (origin: string) => boolean;

/** Whether the gateway answers a request itself, as a distribution or an HTTP API does with every preflight. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

export function preflightReply({ headers }: IncomingMessage, isAllowed: OriginRule): Reply {
  const { origin, "access-control-request-headers": wanted } = headers;
  const reply: Reply = { status: 204, headers: {}, cookies: [], body: Buffer.alloc(0) };
  if (origin === undefined || !isAllowed(origin)) return reply;
  return {
    ...reply,
    headers: {
      ...preflightHeaders,
      "access-control-allow-origin": origin,
      ...(wanted !== undefined && { "access-control-allow-headers": wanted }),
    },
  };
}

/** Adds the headers that an HTTP API adds for an allowed origin, replacing the function's own. */
export function withCorsHeaders({ headers }: IncomingMessage, isAllowed: OriginRule, reply: Reply): Reply {
  const { origin } = headers;
  if (origin === undefined || !isAllowed(origin)) return reply;
  return {
    ...reply,
    headers: {
      ...reply.headers,
      "access-control-allow-credentials": "true",
      "access-control-allow-origin": origin,
      "access-control-expose-headers": cors.exposedHeaders.join(","),
      vary: alsoVarying(reply.headers.vary ?? "", "origin"),
    },
  };
}
