import { isAcknowledgementType } from "./client-frame.ts";
import type { FrameKind } from "./frame-limits.ts";

/**
 * What API Gateway logs about each event of a socket, separated by spaces: variables of its context. Short, because
 * every ping has a line. No query string, which may hold an access token; CloudWatch adds the time.
 */
export const socketLogFields = [
  "connectionId",
  "eventType",
  "routeKey",
  "status",
  "identity.sourceIp",
  "requestId",
  // With spaces in it.
  "error.message",
] as const;

/** The `eventType` of a frame from a client. */
export const frameEventType = "MESSAGE";

/** A frame from a client, as its line shows it. */
export interface LoggedFrame {
  readonly socketId: string;
  readonly kind: FrameKind;
}

/** Parses a line of the log. @returns undefined for a line that is not about a frame */
export function parseSocketLog(line: string): LoggedFrame | undefined {
  const [socketId, eventType, routeKey] = line.split(" ", 3);
  if (!socketId || eventType !== frameEventType) return undefined;
  return { socketId, kind: isAcknowledgementType(routeKey) ? "acknowledgements" : "pings" };
}
