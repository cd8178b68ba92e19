import type * as z from "zod";
import { connection } from "#shared/conversations/connections/connection-view.ts";
import { inOwnDomain, localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import * as schemas from "./schemas.ts";

const unqualified = {
  path: "/connections/{uid}",
  params: schemas.localUserPath,
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
    params: schemas.userPath,
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
    body: schemas.connectionRequest,
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
    params: schemas.userPath,
    body: schemas.connectionUpdate,
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
    params: schemas.userPath,
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
    body: schemas.pageRequest,
    responses: { 200: schemas.connectionPage },
    errors: [],
    olderForms: {
      "list-connections-v0": {
        until: 1,
        method: "GET",
        path: "/connections",
        description: "Sorted by the id of the other user.",
        query: schemas.listQuery,
        body: undefined,
        responses: { 200: schemas.connectionList },
        request: ({ query }: { query: z.output<typeof schemas.listQuery> }) => ({
          body: { size: query.size, paging_state: query.start ? { after: query.start } : undefined },
        }),
      },
    },
  },
});
