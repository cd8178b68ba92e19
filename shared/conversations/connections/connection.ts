import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** Status of one side of a connection, explained in the API document. */
export const connectionStatus = z
  .enum(["accepted", "blocked", "pending", "ignored", "sent", "cancelled", "missing-legalhold-consent"])
  .meta({ id: "Relation" });
export type ConnectionStatus = z.infer<typeof connectionStatus>;

/** One side of a connection: its status as `userId` sees it. */
export const connectionItem = storedItem(
  { table: "connections", kind: "connection", key: ["user#*", "peer#*"], subject: { user: "partition" } },
  storedObject({
    userId: z.uuid(),
    peerId: z.uuid(),
    status: connectionStatus,
    /** The status to restore once legal hold no longer keeps the users apart. */
    statusBeforeHold: connectionStatus.exclude(["missing-legalhold-consent"]).optional(),
    /** Unix milliseconds of the last change of the status. */
    updatedAt: z.int(),
    /** Increases with each change of the row. */
    revision: z.int(),
  }),
);
export type Connection = Stored<typeof connectionItem>;

/** Both sides of a connection, from the point of view of one of its users. */
export interface ConnectionPair {
  readonly own: Connection;
  readonly other: Connection;
}

/** Whether legal hold has set a side aside. */
export const isHeld = ({ status }: Connection) => status === "missing-legalhold-consent";

/** Whether a side counts towards its user's limit; it still does while legal hold has set it aside. */
export const isCounted = ({ status, statusBeforeHold }: Connection) =>
  ["accepted", "sent"].includes(statusBeforeHold ?? status);
