import { randomUUID } from "node:crypto";
import * as z from "zod";
import { RecentLog } from "../gateway/recent-log.ts";

/** A frame that a function has posted to an open socket. */
export interface SocketPost {
  readonly id: string;
  /** ISO 8601 */
  readonly at: string;
  readonly connectionId: string;
  /** Path that the client opened. */
  readonly path: string;
  /** User whose token opened the socket. */
  readonly userId: string | undefined;
  /** Types of the events in it, or of the frame itself when it contains none. */
  readonly types: readonly string[];
  readonly text: string;
}

/** Fewer than in the log of requests, because frames can be large. */
export class PostLog extends RecentLog<SocketPost> {
  constructor() {
    super(300);
  }

  get(id: string): SocketPost | undefined {
    return this.list().find((post) => post.id === id);
  }
}

/** Describe a frame that was posted to a socket. */
export const toPost = (
  text: string,
  { connectionId, path, userId }: Pick<SocketPost, "connectionId" | "path" | "userId">,
): SocketPost => ({
  id: randomUUID(),
  at: new Date().toISOString(),
  connectionId,
  path,
  userId,
  types: typesIn(text),
  text,
});

const payload = z.array(z.object({ type: z.string() }));

/** Frames of `/await`, of `/events` with an event, and of `/events` without one. */
const frame = z.union([
  z.object({ payload }).transform((content) => content.payload),
  z.object({ data: z.object({ event: z.object({ payload }) }) }).transform(({ data }) => data.event.payload),
  z.object({ type: z.string() }).transform((content) => [content]),
]);

function typesIn(text: string): string[] {
  try {
    return frame.parse(JSON.parse(text)).map(({ type }) => type);
  } catch {
    return [];
  }
}
