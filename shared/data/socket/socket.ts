import * as z from "zod";

/** An open socket. */
export const socketItem = z.object({
  socketId: z.string(),
  endpoint: z.enum(["await", "events"]),
  userId: z.uuid(),
  /** Connection id of the access token: what causes an event is not told over its own connection. */
  connectionId: z.string().optional(),
  clientId: z.string().optional(),
  /** Sockets on a device queue: what the client wants to see once it has caught up. */
  syncMarker: z.string().optional(),
  /** Unix milliseconds. */
  openedAt: z.int(),
  /** Sockets on a device queue: last position sent, and the first that may be unacknowledged. */
  sentUpTo: z.int().optional(),
  firstUnacknowledged: z.int().optional(),
  /** Sockets on a device queue: as many events are unacknowledged as may be. */
  isWindowFull: z.boolean().optional(),
  /** Sockets on a device queue: whether it has got what a socket gets first. */
  hasStarted: z.boolean().optional(),
  /**
   * Sockets on a device queue: nothing is sent until the client has acknowledged that it missed events. Absent: nothing
   * is sent because it is not known yet whether it did.
   */
  awaitsFullSync: z.boolean().optional(),
  /** Sockets on a device queue: whoever sends over it, and unix milliseconds until when. */
  leaseId: z.string().optional(),
  leasedUntil: z.int().optional(),
  /** Sockets without a device: events sent so far. */
  deliveries: z.int().optional(),
});
export type Socket = z.infer<typeof socketItem>;

/** A device's queue of events for `/events`. */
export const deviceQueueItem = z.object({
  clientId: z.string(),
  /** Unix milliseconds of the last time that the device was connected, at first of the creation. */
  lastSeenAt: z.int(),
  /** All up to here has been acknowledged. */
  acknowledgedUpTo: z.int(),
  /** Events were lost, which the device has not been told yet. */
  hasMissed: z.boolean(),
  /** The socket that gets the queue; others of the device wait. */
  activeSocketId: z.string().optional(),
});
export type DeviceQueue = z.infer<typeof deviceQueueItem>;
