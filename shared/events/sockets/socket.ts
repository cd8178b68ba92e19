import { randomInt } from "node:crypto";
import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

const socketEndpoint = z.enum(["await", "events"]);

/** An open socket. */
export const socketItem = storedItem(
  {
    table: "sockets",
    kind: "socket",
    key: ["user#*", "socket#*"],
    subject: { user: "partition", secrets: ["connectionId", "leaseId"] },
  },
  storedObject({
    socketId: z.string(),
    endpoint: socketEndpoint,
    userId: z.uuid(),
    /**
     * Connection id of the access token. It leads to the session with which the socket ends, and most events are not sent
     * over the connection that caused them.
     */
    connectionId: z.string().optional(),
    clientId: z.string().optional(),
    /** Unix milliseconds when the socket ends at the latest. */
    expiresAt: z.int().optional(),
    /** Unix milliseconds when its access token expires, which ends a socket without a session of its own. */
    tokenExpiresAt: z.int().optional(),
    /** Sockets on a device queue: the marker to send once the client has caught up. */
    syncMarker: z.string().optional(),
    /** Unix milliseconds. */
    openedAt: z.int(),
    /** Sockets on a device queue: sequence numbers of the last event sent and of the first that may be unacknowledged. */
    sentUpTo: z.int().optional(),
    firstUnacknowledged: z.int().optional(),
    /** Sockets on a device queue: id of the last event sent; absent until there is one. */
    sentId: z.uuid().optional(),
    /** Sockets on a device queue: whether the maximum number of events is unacknowledged. */
    isWindowFull: z.boolean().optional(),
    /** Sockets on a device queue: whether delivery has been started, see `DeviceQueues.start`. */
    hasStarted: z.boolean().optional(),
    /**
     * Sockets on a device queue: while true, nothing is sent, because the client has not acknowledged yet that it
     * missed events. Absent: nothing is sent either, because it is unknown yet whether it missed any.
     */
    awaitsFullSync: z.boolean().optional(),
    /** Sockets on a device queue: lease of the function that sends over it, and its end in unix milliseconds. */
    leaseId: z.string().optional(),
    leasedUntil: z.int().optional(),
    /**
     * Sockets on a device queue, while leased: the last event that may have been sent since. Absent: the holder of the
     * lease runs a version that does not record it.
     */
    sendingUpTo: z.int().optional(),
    /** Sockets without a device: events sent so far. */
    deliveries: z.int().optional(),
  }),
);
export type Socket = Stored<typeof socketItem>;

/** The unchanging data that delivery needs about a socket that does not belong to a device's queue. */
const listedSocket = z.object({
  socketId: z.string(),
  endpoint: socketEndpoint,
  connectionId: z.string().optional(),
  clientId: z.string().optional(),
  openedAt: z.int(),
});

/** Whether a socket is in its user's list; only those that deliver the queue of a device are not. */
export const isListed = ({ endpoint, clientId }: Socket): boolean =>
  endpoint === "await" || clientId === undefined;

/** A socket in its user's list, always as the same text. */
export const toListed = ({ socketId, endpoint, connectionId, clientId, openedAt }: Socket): string =>
  JSON.stringify({ socketId, endpoint, connectionId, clientId, openedAt });

/** The sockets of a user in one item, so that delivery reads those of many users at once. */
export const socketListItem = storedItem(
  {
    table: "sockets",
    kind: "socket-list",
    key: ["user#*", "has-sockets"],
    subject: { user: "partition", remains: "an empty list, until it expires" },
  },
  storedObject({
    /** Absent: none. */
    sockets: z.set(z.string()).default(new Set()),
    /**
     * Unix seconds until which there may be sockets that are not listed. Absent: the list was written by a version that
     * listed none.
     */
    incompleteUntil: z.int(),
  }),
);

/** The listed sockets of a user; undefined when the list cannot be read. */
export function parseListed(texts: Iterable<string>, userId: string): Socket[] | undefined {
  try {
    return [...texts].map((text) => ({ ...listedSocket.parse(JSON.parse(text)), userId }));
  } catch {
    return undefined;
  }
}

/**
 * How long after its `$connect` a socket may look as if it were gone: slightly longer than API Gateway waits for the
 * function.
 */
export const handshakeMilliseconds = 30_000;

/** A device's queue of events for `/events`. */
export const deviceQueueItem = storedItem(
  { table: "sockets", kind: "device-queue", key: ["user#*", "queue#*"], subject: { user: "partition" } },
  storedObject({
    clientId: z.string(),
    /** Unix milliseconds when the device was last connected, or when the queue was created. */
    lastSeenAt: z.int(),
    /** Sequence number up to which everything has been acknowledged. */
    acknowledgedUpTo: z.int(),
    /** Whether events were lost without the device having acknowledged this. */
    hasMissed: z.boolean(),
    /** Sequence number of the last event that some sockets cannot send, because it does not fit into their frames. */
    largeAt: z.int().optional(),
    /** The socket that gets the queue; other sockets of the device wait. */
    activeSocketId: z.string().optional(),
  }),
);
export type DeviceQueue = Stored<typeof deviceQueueItem>;

/** A session that may open no socket for a while, because one of its sockets was flooded. */
export const refusalItem = storedItem(
  {
    table: "sockets",
    kind: "refusal",
    key: ["user#*", "refusal#*"],
    subject: {
      user: "partition",
      secrets: ["sessionId"],
      remains: "refuses access tokens that are still valid, until they expire",
    },
  },
  storedObject({
    sessionId: z.int().optional(),
    /** Unix milliseconds. */
    until: z.int(),
  }),
);
export type Refusal = Stored<typeof refusalItem>;

/**
 * Message of the queue `events` when a socket with a device queue has opened: the `$connect` function itself cannot
 * post to the socket before it has returned.
 */
export const socketStart = z.object({ socketId: z.string() });
export type SocketStart = z.infer<typeof socketStart>;

/** API Gateway closes every socket at this age, without exception. */
const hardLimitSeconds = 2 * 3600;

/** Time for the check that closes a socket, so that it comes before the hard limit. */
const marginSeconds = 120;

const shortestLifetimeSeconds = 90 * 60;
const longestLifetimeSeconds = hardLimitSeconds - marginSeconds;

/** Records of sockets expire somewhat later than the sockets themselves. */
export const socketRecordSeconds = hardLimitSeconds + 600;

/**
 * How long a new socket may live, in milliseconds: a random time, because sockets that open together after an outage
 * would otherwise close together, and their clients would return together, again and again.
 */
export const newSocketLifetime = (): number =>
  randomInt(shortestLifetimeSeconds * 1000, longestLifetimeSeconds * 1000 + 1);
