import type { Audience } from "../gateway-routes.ts";
import { RecentLog } from "./recent-log.ts";

/** One request that a gateway has answered, or one event of a socket. */
export interface LoggedRequest {
  /** When it came, ISO 8601. */
  readonly at: string;
  readonly api: Audience | "sockets";
  /** Of a socket that is open: the route, such as `$default`. */
  readonly method: string;
  /** Without the query string, which may hold tokens. */
  readonly path: string;
  /** 101 for a socket that was opened; 499 when the client went away before the answer. */
  readonly status: number;
  readonly milliseconds: number;
  /** Function that answered; none for what the gateway answers itself. */
  readonly functionName: string | undefined;
}

export class RequestLog extends RecentLog<LoggedRequest> {
  constructor() {
    super(500);
  }
}
