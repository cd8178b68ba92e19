import { randomInt } from "node:crypto";
import { v1 as uuidV1, validate, version } from "uuid";
import * as z from "zod";
import { type Stored, StoredItem, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** One entry of a stream: of a user's or team's log of notifications, or of a device's queue. */
export const notificationItem = storedItem(
  {
    table: "notifications",
    kind: "notification",
    key: ["user#*|team#*|device#*", "*"],
    subject: {
      user: "partition",
      secrets: ["payload", "overlay"],
      remains: "what was told after the log had been removed, until it expires",
      mentions: "events, as others got them",
    },
  },
  storedObject({
    /** Sequence number, without gaps: entry n + 1 never exists before entry n. */
    position: z.string().transform(Number),
    /** UUIDv1 that clients see; its time increases along the stream, and its node is the sequence number. */
    id: z.uuid(),
    /** The event, or the first of several. */
    eventId: z.string(),
    /** Further events of a notification with several. */
    moreEventIds: z.array(z.string()).optional(),
    /** Devices that may see it; absent: all. */
    clientIds: z.array(z.string()).optional(),
    /** Events as JSON, unless they are stored separately. */
    payload: z.string().optional(),
    /** Where the events are stored, because several streams share them or they are too large. */
    payloadId: z.uuid().optional(),
    /** The recipient's overlay as JSON, or where a large one is stored. */
    overlay: z.string().optional(),
    overlayId: z.uuid().optional(),
    /** The recipient whose view of the event it is, if there are several. */
    viewerId: z.uuid().optional(),
    /** Total size, if a part is stored separately. */
    bytes: z.int().optional(),
    /** Device queues only: the marker with which a client learns that it has caught up. */
    markerId: z.string().optional(),
    /** Device queues only: a transient event, meant for the socket that was open when it happened. */
    onlySocketId: z.string().optional(),
    /** Device queues only. */
    isAcknowledged: z.boolean().optional(),
    /** Unix seconds. */
    expiresAt: z.int(),
  }),
);
export type Notification = Stored<typeof notificationItem>;

/** The content of a notification, or where it is stored. */
export type Content = Pick<
  Notification,
  "payload" | "payloadId" | "overlay" | "overlayId" | "viewerId" | "bytes"
>;

export const contentOf = ({ payload, payloadId, overlay, overlayId, viewerId, bytes }: Content): Content => ({
  payload,
  payloadId,
  overlay,
  overlayId,
  viewerId,
  bytes,
});

/** Approximate size of a notification in bytes of JSON. */
export const sizeOf = ({ payload = "", bytes = Buffer.byteLength(payload) }: Content): number => bytes;

/** A payload that several streams share, or a piece of a large one. */
export const payloadPiece = storedItem(
  {
    table: "notifications",
    kind: "payload",
    key: ["payload#*", "*"],
    subject: { nobody: "events, as several got them", mentions: "events, as others got them" },
  },
  storedObject({
    stream: z.string(),
    /** Number of the piece, starting with 0. */
    position: z.string().transform(Number),
    /** JSON */
    payload: z.string(),
    /** Number of pieces that the payload consists of. */
    pieces: z.int(),
  }),
);

/** The newest entry of a stream, without its content. */
export const streamEnd = new StoredItem(
  notificationItem,
  storedObject({ position: z.string().transform(Number), id: z.uuid(), expiresAt: z.int() }),
);
export type StreamEnd = Stored<typeof streamEnd>;

/** Names of streams. */
export const streams = {
  user: (userId: string) => `user#${userId}`,
  team: (teamId: string) => `team#${teamId}`,
  device: (userId: string, clientId: string) => `device#${userId}#${clientId}`,
  payload: (payloadId: string) => `payload#${payloadId}`,
};

/** Whether a stream is the queue of a device. */
export const isDeviceStream = (stream: string) => stream.startsWith("device#");

const sequenceDigits = 14;

/** Formats a sequence number for the sort key: padded, because sort keys compare as text. */
export const sequenceKey = (sequenceNumber: number) => String(sequenceNumber).padStart(sequenceDigits, "0");

/** The clock sequence distinguishes entries of different streams with the same time and sequence number. */
const clockSequences = 2 ** 14;
/** Start of UUIDv1 time, 15 October 1582: units of 100 ns before 1970. */
const gregorianOffset = 122_192_928_000_000_000n;

/** Creates the id for a sequence number; its time is later than that of the previous id, even within a millisecond. */
export function notificationId(
  sequenceNumber: number,
  nowMilliseconds: number,
  previousId: string | undefined,
): string {
  const now = BigInt(nowMilliseconds) * 10_000n;
  const previous = previousId === undefined ? 0n : timeOf(previousId) + 1n;
  const ticks = now > previous ? now : previous;
  const node = Buffer.alloc(6);
  node.writeUIntBE(sequenceNumber, 0, 6);
  return uuidV1({
    msecs: Number(ticks / 10_000n),
    nsecs: Number(ticks % 10_000n),
    clockseq: randomInt(clockSequences),
    node,
  });
}

/** Whether a text can be the id of a notification. */
export const isNotificationId = (text: string) => validate(text) && version(text) === 1;

/** Sequence number that an id contains. */
export const sequenceNumberOf = (id: string) => Number.parseInt(id.slice(-12), 16);

/** Time of an id in unix milliseconds. */
export const millisecondsOf = (id: string) => Number(timeOf(id) / 10_000n);

/** Time of an id in units of 100 ns since 1970. */
function timeOf(id: string): bigint {
  const [low, middle, high = ""] = id.split("-");
  return BigInt(`0x${high.slice(1)}${middle}${low}`) - gregorianOffset;
}
