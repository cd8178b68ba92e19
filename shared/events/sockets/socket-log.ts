import type { FrameKind } from "./frame-limits.ts";
import { isAcknowledgementType } from "./frames.ts";

/**
 * The log line of API Gateway about each event of a socket: variables of its context, separated by spaces. Short,
 * because every ping has a line. It has no query string, which may contain an access token; CloudWatch adds the time.
 */
export const socketLogFields = [
  "connectionId",
  "eventType",
  "routeKey",
  "status",
  "identity.sourceIp",
  "requestId",
  // Contains spaces.
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
