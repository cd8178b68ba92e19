import type { IncomingHttpHeaders } from "node:http";
import type { Audience } from "../../gateway-routes.ts";
import { RecentLog } from "./recent-log.ts";

/** One request that a gateway has answered, or one event of a socket. */
export interface LoggedRequest {
  /** Id of the request for functions: lines of the log contain it, and so do its messages in the outbox. */
  readonly id: string;
  /** Time of arrival, ISO 8601. */
  readonly at: string;
  readonly api: Audience | "sockets";
  /** HTTP method, or the route of an event of an open socket, such as `$default`. */
  readonly method: string;
  /** Without the query string, which may hold tokens. */
  readonly path: string;
  /** 101 for a socket that was opened; 499 when the client disconnected before the answer. */
  readonly status: number;
  readonly milliseconds: number;
  /** Function that answered; undefined when the gateway itself did. */
  readonly functionName: string | undefined;
  /** The exchange, including secrets; absent for sockets. */
  readonly exchange?: Exchange;
}

/** The request of a client, and the answer. */
export interface Exchange {
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Payload;
  /** Undefined when the client disconnected before the answer. */
  readonly reply:
    | {
        readonly contentType: string;
        readonly body: Payload;
        /** Target of a redirect. */
        readonly location?: string | undefined;
      }
    | undefined;
}

/** A body. */
export interface Payload {
  readonly bytes: number;
  /** Undefined when it is too large to be kept. */
  readonly content: Buffer | undefined;
}

/** Largest body that is kept, in bytes, which limits the memory of the log of requests. */
const keptBytes = 16 * 1024;

/** @param body undefined when the gateway has dropped it */
export const payloadOf = (body: Buffer | undefined): Payload => ({
  bytes: body?.length ?? 0,
  // A copy, because a small part of a large buffer would keep the whole buffer in memory.
  content: body !== undefined && body.length <= keptBytes ? Buffer.from(body) : undefined,
});

/** The latest requests to the gateways and events of sockets. */
export class RequestLog extends RecentLog<LoggedRequest> {
  constructor() {
    super(500);
  }

  get(id: string): LoggedRequest | undefined {
    return this.list().find((request) => request.id === id);
  }
}
