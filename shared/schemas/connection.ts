import * as z from "zod";
import { type Connection, connectionStatus } from "../data/connection/connection.ts";
import { qualifiedId, utcTime } from "./primitives.ts";

/** One side of a connection (published schema `UserConnection`). */
export const connection = z
  .object({
    from: z.uuid(),
    to: z.uuid(),
    qualified_to: qualifiedId,
    status: connectionStatus,
    last_update: utcTime,
  })
  .meta({ id: "UserConnection" });

export const toConnectionView = (
  { userId, peerId, status, updatedAt }: Connection,
  domain: string,
): z.input<typeof connection> => ({
  from: userId,
  to: peerId,
  qualified_to: { domain, id: peerId },
  status,
  last_update: new Date(updatedAt).toISOString(),
});
