import { connection } from "#shared/connections/connection-view.ts";
import { localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as schemas from "./schemas.ts";

const createDescription =
  "201 for a new request, 200 for a connection that already exists. If the other user has already asked, both are connected now. " +
  "Both users need a verified e-mail address or phone number.";

export const routes = defineRoutes({
  "create-connection": {
    method: "POST",
    path: "/connections/{domain}/{uid}",
    auth: "user",
    summary: "Ask a user for a connection, or accept a request",
    description: createDescription,
    params: schemas.userPath,
    responses: { 200: connection, 201: connection },
    errors: [
      "invalid-user",
      "federation-not-enabled",
      "no-identity",
      "same-binding-team-users",
      "bad-conn-update",
      "connection-limit",
    ],
  },
  "create-connection-v0": {
    method: "POST",
    path: "/connections",
    until: 1,
    auth: "user",
    summary: "Ask a user for a connection, or accept a request",
    description: createDescription,
    body: schemas.connectionRequest,
    responses: { 200: connection, 201: connection },
    errors: ["invalid-user", "no-identity", "same-binding-team-users", "bad-conn-update", "connection-limit"],
  },
  "update-connection": {
    method: "PUT",
    path: "/connections/{domain}/{uid}",
    auth: "user",
    summary: "Accept, ignore, cancel, block or unblock a connection",
    description: "200 with your side when it changed, 204 when nothing had to.",
    params: schemas.userPath,
    body: schemas.connectionUpdate,
    requires: [localDomain("domain")],
    responses: { 200: connection, 204: null },
    errors: ["invalid-user", "not-connected", "bad-conn-update", "connection-limit"],
  },
  "update-connection-v0": {
    method: "PUT",
    path: "/connections/{uid}",
    until: 1,
    auth: "user",
    summary: "Accept, ignore, cancel, block or unblock a connection",
    description: "200 with your side when it changed, 204 when nothing had to.",
    params: schemas.localUserPath,
    body: schemas.connectionUpdate,
    responses: { 200: connection, 204: null },
    errors: ["invalid-user", "not-connected", "bad-conn-update", "connection-limit"],
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
  },
  "get-connection-v0": {
    method: "GET",
    path: "/connections/{uid}",
    until: 1,
    auth: "user",
    summary: "Get your side of a connection",
    params: schemas.localUserPath,
    responses: { 200: connection, 404: null },
    errors: [],
  },
  "list-connections": {
    method: "POST",
    path: "/list-connections",
    auth: "user",
    summary: "List your connections in all states",
    body: schemas.pageRequest,
    responses: { 200: schemas.connectionPage },
    errors: [],
  },
  "list-connections-v0": {
    method: "GET",
    path: "/connections",
    until: 1,
    auth: "user",
    summary: "List your connections in all states",
    description: "Sorted by the id of the other user.",
    query: schemas.listQuery,
    responses: { 200: schemas.connectionList },
    errors: [],
  },
});
