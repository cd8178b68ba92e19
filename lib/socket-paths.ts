/**
 * A WebSocket stage of API Gateway has one fixed path, but clients open `/await` and `/events`, also below a version.
 * Whatever stands in front of it (a CloudFront function on AWS, the local gateway here) turns the path into these
 * query parameters, which the `$connect` function reads.
 */
export interface SocketTarget {
  readonly endpoint: "await" | "events";
  /** As in the path, such as `v8`; empty without one. */
  readonly version: string;
}

/** Function behind all routes of the WebSocket API. */
export const socketFunction = "websocket";

/** Name of the WebSocket API's stage, which is its path. */
export const socketStage = "live";

export const socketNames = ["await", "websocket", "events"] as const;

/** Groups: the version, the name. The CloudFront function has this same expression. */
export const socketPath = new RegExp(`^(?:/(v[^/]*))?/(${socketNames.join("|")})$`);

/** What a path opens, undefined for all that is no socket. `/websocket` is another name of `/await`. */
export function socketTarget(path: string): SocketTarget | undefined {
  const [, version = "", name] = socketPath.exec(path) ?? [];
  if (name === undefined) return undefined;
  return { endpoint: name === "events" ? "events" : "await", version };
}
