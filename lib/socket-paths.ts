/**
 * A WebSocket stage of API Gateway has one fixed path, but clients open `/await` and `/events`, with or without a
 * version prefix. The entrance in front of it (a CloudFront function on AWS, otherwise the local gateway) turns the
 * path into these query parameters, which the `$connect` function reads.
 */
export interface SocketTarget {
  readonly endpoint: "await" | "events";
  /** Version prefix of the path, such as `v8`; empty without one. */
  readonly version: string;
}

/** Function behind the routes of the WebSocket API, and the one that reads its log. */
export const socketFunction = "websocket";
export const socketLogFunction = "socket-floods";

/** Name of the WebSocket API's stage, which is its path. */
export const socketStage = "live";

/** Last segments of the paths that open a socket. */
export const socketNames = ["await", "websocket", "events"] as const;

/** Groups: the version, the name. The CloudFront function uses the same expression. */
export const socketPath = new RegExp(`^(?:/(v[^/]*))?/(${socketNames.join("|")})$`);

/** The socket that a path opens; undefined for any other path. `/websocket` is an alias of `/await`. */
export function socketTarget(path: string): SocketTarget | undefined {
  const [, version = "", name] = socketPath.exec(path) ?? [];
  if (name === undefined) return undefined;
  return { endpoint: name === "events" ? "events" : "await", version };
}
