import { randomInt } from "node:crypto";
import { v1 as uuidV1, validate, version } from "uuid";
import * as z from "zod";

/** One place of a stream: of a user's or team's log of notifications, or of a device's queue. */
export const notificationItem = z.object({
  /** Dense: entry n + 1 never exists before entry n. */
  position: z.string().transform(Number),
  /** UUIDv1 that clients see; its time grows along the stream and its node is the position. */
  id: z.uuid(),
  eventId: z.string(),
  /** Devices that may see it; absent: all. */
  clientIds: z.array(z.string()).optional(),
  /** Events as JSON, unless they are stored once for several streams. */
  payload: z.string().optional(),
  /** Set when they are, or are too large for an entry: they lie under `eventId`. */
  hasSharedPayload: z.boolean().optional(),
  /** Device queues only: the marker of a client that wants to know when it has caught up. */
  markerId: z.string().optional(),
  /** Device queues only: a transient event, meant for the socket that was open when it happened. */
  onlySocketId: z.string().optional(),
  /** Device queues only. */
  isAcknowledged: z.boolean().optional(),
  /** Unix seconds. */
  expiresAt: z.int(),
});
export type Notification = z.infer<typeof notificationItem>;

/** A payload that several streams share, or a part of a large one. */
export const payloadPiece = z.object({
  stream: z.string(),
  position: z.string().transform(Number),
  /** JSON */
  payload: z.string(),
  /** That the payload has in all. */
  pieces: z.int(),
});

/** Names of streams. */
export const streams = {
  user: (userId: string) => `user#${userId}`,
  team: (teamId: string) => `team#${teamId}`,
  device: (userId: string, clientId: string) => `device#${userId}#${clientId}`,
  payload: (eventId: string) => `payload#${eventId}`,
};

const positionDigits = 14;

/** Positions sort as text. */
export const positionKey = (position: number) => String(position).padStart(positionDigits, "0");

/** The clock sequence tells apart what different streams get in the same moment at the same position. */
const clockSequences = 2 ** 14;
/** 15 October 1582, the start of UUIDv1 time, in 100 ns before 1970. */
const gregorianOffset = 122_192_928_000_000_000n;

/** An id for a position, later than the id before it even within one millisecond. */
export function notificationId(
  position: number,
  nowMilliseconds: number,
  previousId: string | undefined,
): string {
  const now = BigInt(nowMilliseconds) * 10_000n;
  const previous = previousId === undefined ? 0n : timeOf(previousId) + 1n;
  const ticks = now > previous ? now : previous;
  const node = Buffer.alloc(6);
  node.writeUIntBE(position, 0, 6);
  return uuidV1({
    msecs: Number(ticks / 10_000n),
    nsecs: Number(ticks % 10_000n),
    clockseq: randomInt(clockSequences),
    node,
  });
}

export const isNotificationId = (text: string) => validate(text) && version(text) === 1;

/** Position that an id names in its stream. */
export const positionOf = (id: string) => Number.parseInt(id.slice(-12), 16);

/** Unix milliseconds of an id. */
export const millisecondsOf = (id: string) => Number(timeOf(id) / 10_000n);

/** 100 ns since 1970. */
function timeOf(id: string): bigint {
  const [low, middle, high = ""] = id.split("-");
  return BigInt(`0x${high.slice(1)}${middle}${low}`) - gregorianOffset;
}
