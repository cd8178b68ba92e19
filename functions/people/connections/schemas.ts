import * as z from "zod";
import { connectionStatus } from "#shared/conversations/connections/connection.ts";
import { connection } from "#shared/conversations/connections/connection-view.ts";
import { conversationName } from "#shared/conversations/conversation.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { connectionCursor } from "./connection-cursor.ts";

export const userPath = z.object({
  domain: wire.domain,
  uid: wire.uuid.meta({ description: "Id of the other user" }),
});
export const localUserPath = userPath.omit({ domain: true });

export const connectionRequest = z
  .object({
    user: wire.uuid.meta({ description: "Id of the other user" }),
    name: conversationName,
  })
  .meta({
    id: "ConnectionRequest",
    examples: [{ user: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60", name: "Ada" }],
  });

export const connectionUpdate = z
  .object({
    status: connectionStatus.meta({
      description: "`accepted`, `ignored`, `cancelled`, `blocked`, or `sent` to unblock; others are refused",
    }),
  })
  .meta({ id: "ConnectionUpdate", examples: [{ status: "accepted" }] });

const maxPageSize = 500;
const defaultPageSize = 100;

export const pageRequest = z
  .object({
    paging_state: connectionCursor
      .optional()
      .meta({ description: "`paging_state` of the previous page; absent for the first page" }),
    size: z
      .int()
      .min(1)
      .max(maxPageSize)
      .default(defaultPageSize)
      .meta({ description: "Maximum number of connections in the answer" }),
  })
  .meta({ id: "GetPaginated_Connections", examples: [{ size: 100 }] });

export const connectionPage = z
  .object({
    connections: z.array(connection),
    has_more: wire.hasMore,
    paging_state: wire.nextCursor,
  })
  .meta({ id: "Connections_Page" });

export const listQuery = z.object({
  start: wire.uuid.optional().meta({ description: "Id of the user after whom the list starts" }),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(maxPageSize)
    .default(defaultPageSize)
    .meta({ description: "Maximum number of connections in the answer" }),
});

export const connectionList = connectionPage.omit({ paging_state: true }).meta({ id: "UserConnectionList" });
