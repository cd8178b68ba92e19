import * as z from "zod";
import { connectionStatus } from "#shared/data/connection/connection.ts";
import { connection } from "#shared/schemas/connection.ts";
import * as primitives from "#shared/schemas/primitives.ts";
import { pagingState } from "./paging-state.ts";

export const userPath = z.object({ domain: z.string(), uid: primitives.uuid });
export const localUserPath = userPath.omit({ domain: true });

/** Up to version 1. The name is that of a conversation, which nobody sees any more. */
export const connectionRequest = z
  .object({ user: primitives.uuid, name: z.string().min(1).max(256) })
  .meta({ id: "ConnectionRequest" });

export const connectionUpdate = z.object({ status: connectionStatus }).meta({ id: "ConnectionUpdate" });

const maxPageSize = 500;
const defaultPageSize = 100;

export const pageRequest = z
  .object({
    paging_state: pagingState.optional(),
    size: z.int().min(1).max(maxPageSize).default(defaultPageSize),
  })
  .meta({ id: "GetPaginated_Connections" });

export const connectionPage = z
  .object({ connections: z.array(connection), has_more: z.boolean(), paging_state: z.string() })
  .meta({ id: "Connections_Page" });

export const listQuery = z.object({
  /** The list begins after this user. */
  start: primitives.uuid.optional(),
  size: z.coerce.number().int().min(1).max(maxPageSize).default(defaultPageSize),
});

export const connectionList = connectionPage.omit({ paging_state: true }).meta({ id: "UserConnectionList" });
