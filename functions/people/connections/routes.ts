import { NIL } from "uuid";
import * as z from "zod";
import { connectionStatus } from "#shared/conversations/connections/connection.ts";
import { connection } from "#shared/conversations/connections/connection-view.ts";
import { conversationName } from "#shared/conversations/conversation.ts";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import { inOwnDomain, localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";

/** Cursor in a list of connections, which is ordered by the other users' ids. */
const connectionCursor = cursorOf("connections", z.strictObject({ after: wire.uuid }));

/** Cursor after a user; without one, before the first, because the nil UUID sorts before all ids. */
export const cursorAfter = (peerId: string = NIL): string => z.encode(connectionCursor, { after: peerId });

const userPath = z.object({
  domain: wire.domain,
  uid: wire.uuid.meta({ description: "Id of the other user" }),
});
const localUserPath = userPath.omit({ domain: true });

const connectionRequest = z
  .object({
    user: wire.uuid.meta({ description: "Id of the other user" }),
    name: conversationName,
  })
  .meta({
    id: "ConnectionRequest",
    examples: [{ user: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60", name: "Ada" }],
  });

const connectionUpdate = z
  .object({
    status: connectionStatus.meta({
      description: "`accepted`, `ignored`, `cancelled`, `blocked`, or `sent` to unblock; others are refused",
    }),
  })
  .meta({ id: "ConnectionUpdate", examples: [{ status: "accepted" }] });

const maxPageSize = 500;
const defaultPageSize = 100;

const pageRequest = z
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

const connectionPage = z
  .object({
    connections: z.array(connection),
    has_more: wire.hasMore,
    paging_state: wire.nextCursor,
  })
  .meta({ id: "Connections_Page" });

const listQuery = z.object({
  start: wire.uuid.optional().meta({ description: "Id of the user after whom the list starts" }),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(maxPageSize)
    .default(defaultPageSize)
    .meta({ description: "Maximum number of connections in the answer" }),
});

const connectionList = connectionPage.omit({ paging_state: true }).meta({ id: "UserConnectionList" });

const unqualified = {
  path: "/connections/{uid}",
  params: localUserPath,
  requires: [],
  request: inOwnDomain("domain"),
} as const;

const createDescription =
  "201 for a new request, 200 for a connection that already exists. If the other user has already sent a " +
  "request, this connects both. Both users need a verified email address or phone number.";

export const routes = defineRoutes({
  "create-connection": {
    method: "POST",
    audit: "connection.requested",
    path: "/connections/{domain}/{uid}",
    auth: "user",
    summary: "Send or accept a connection request",
    description: createDescription,
    params: userPath,
    responses: { 200: connection, 201: connection },
    errors: [
      "invalid-user",
      "federation-not-enabled",
      "no-identity",
      "missing-legalhold-consent",
      "same-binding-team-users",
      "bad-conn-update",
      "connection-limit",
      "too-many-requests",
    ],
  },
  "create-connection-v0": {
    method: "POST",
    audit: "connection.requested",
    path: "/connections",
    until: 1,
    auth: "user",
    summary: "Send or accept a connection request",
    description: createDescription,
    body: connectionRequest,
    responses: { 200: connection, 201: connection },
    errors: [
      "invalid-user",
      "no-identity",
      "missing-legalhold-consent",
      "same-binding-team-users",
      "bad-conn-update",
      "connection-limit",
      "too-many-requests",
    ],
  },
  "update-connection": {
    costs: uncharged.protection,
    method: "PUT",
    audit: "connection.changed",
    path: "/connections/{domain}/{uid}",
    auth: "user",
    summary: "Accept, ignore, cancel, block or unblock a connection",
    description: "200 with your side, or 204 when nothing has changed.",
    params: userPath,
    body: connectionUpdate,
    requires: [localDomain("domain")],
    responses: { 200: connection, 204: null },
    errors: [
      "invalid-user",
      "not-connected",
      "bad-conn-update",
      "missing-legalhold-consent",
      "connection-limit",
      "too-many-requests",
    ],
    olderForms: { "update-connection-v0": { ...unqualified, until: 1 } },
  },
  "get-connection": {
    method: "GET",
    path: "/connections/{domain}/{uid}",
    auth: "user",
    summary: "Get your side of a connection",
    params: userPath,
    requires: [localDomain("domain")],
    responses: { 200: connection, 404: null },
    errors: [],
    olderForms: { "get-connection-v0": { ...unqualified, until: 1 } },
  },
  "list-connections": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.reading,
    path: "/list-connections",
    auth: "user",
    summary: "List your connections in all states",
    body: pageRequest,
    responses: { 200: connectionPage },
    errors: [],
    olderForms: {
      "list-connections-v0": {
        until: 1,
        method: "GET",
        path: "/connections",
        description: "Sorted by the id of the other user.",
        query: listQuery,
        body: undefined,
        responses: { 200: connectionList },
        request: ({ query }: { query: z.output<typeof listQuery> }) => ({
          body: { size: query.size, paging_state: query.start ? { after: query.start } : undefined },
        }),
      },
    },
  },
});
