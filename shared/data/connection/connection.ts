import * as z from "zod";

export const connectionStatus = z.enum([
  "accepted",
  "blocked",
  "pending",
  "ignored",
  "sent",
  "cancelled",
  "missing-legalhold-consent",
]);
export type ConnectionStatus = z.infer<typeof connectionStatus>;

/** One side of a connection: how `userId` stands to `peerId`. */
export const connectionItem = z.object({
  userId: z.uuid(),
  peerId: z.uuid(),
  status: connectionStatus,
  /** Unix milliseconds of the last change of the status. */
  updatedAt: z.int(),
  /** Grows with each change of the row. */
  revision: z.int(),
});
export type Connection = z.infer<typeof connectionItem>;

/** Both sides of a connection, named as one of its users sees them. */
export interface ConnectionPair {
  readonly own: Connection;
  readonly other: Connection;
}

/** Whether a side takes one of the places that its user has. */
export const isCounted = ({ status }: Connection) => status === "accepted" || status === "sent";
