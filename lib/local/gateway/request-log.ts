import type { Audience } from "../../gateway-routes.ts";
import { RecentLog } from "./recent-log.ts";

/** One request that a gateway has answered, or one event of a socket. */
export interface LoggedRequest {
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
}

/** The latest requests to the gateways and events of sockets. */
export class RequestLog extends RecentLog<LoggedRequest> {
  constructor() {
    super(500);
  }
}
