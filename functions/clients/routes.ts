import { defineRoutes, type Route } from "#shared/http/route.ts";
import * as clientSchemas from "#shared/schemas/client.ts";
import * as schemas from "./schemas.ts";

const addClient = {
  method: "POST",
  path: "/clients",
  auth: "user",
  summary: "Register a device",
  body: schemas.newClient,
  errors: [
    "legal-hold-device",
    "code-authentication-required",
    "code-authentication-failed",
    "missing-auth",
    "invalid-credentials",
    "suspended",
    "pending-activation",
    "login-budget-exhausted",
    "too-many-clients",
    "not-found",
    "too-many-requests",
  ],
} as const satisfies Partial<Route>;

const listClients = {
  method: "GET",
  path: "/clients",
  auth: "user",
  summary: "List the own devices, oldest first",
  errors: [],
} as const satisfies Partial<Route>;

const getClient = {
  method: "GET",
  path: "/clients/{client}",
  auth: "user",
  summary: "Get one of the own devices",
  params: schemas.clientPath,
  errors: [],
} as const satisfies Partial<Route>;

const getCapabilities = {
  method: "GET",
  path: "/clients/{client}/capabilities",
  auth: "user",
  summary: "Get what a device is capable of",
  params: schemas.clientPath,
  errors: ["client-not-found"],
} as const satisfies Partial<Route>;

const nonce = {
  path: "/clients/{client}/nonce",
  auth: "user",
  summary: "Get a nonce for the next DPoP proof",
  params: schemas.clientPath,
  errors: [],
} as const satisfies Partial<Route>;

/** Capabilities are nested before version 7. */
const nested = { until: 6 } as const;
const flat = { since: 7 } as const;

export const routes = defineRoutes({
  "add-client-v0": {
    ...addClient,
    ...nested,
    responses: { 201: clientSchemas.clientWithNestedCapabilities },
  },
  "add-client": { ...addClient, ...flat, responses: { 201: clientSchemas.client } },
  "list-clients-v0": {
    ...listClients,
    ...nested,
    responses: { 200: schemas.clientListWithNestedCapabilities },
  },
  "list-clients": { ...listClients, ...flat, responses: { 200: schemas.clientList } },
  "get-client-v0": {
    ...getClient,
    ...nested,
    responses: { 200: clientSchemas.clientWithNestedCapabilities, 404: null },
  },
  "get-client": { ...getClient, ...flat, responses: { 200: clientSchemas.client, 404: null } },
  "update-client": {
    method: "PUT",
    path: "/clients/{client}",
    auth: "user",
    summary: "Change a device, or add prekeys to it",
    params: schemas.clientPath,
    body: schemas.updateClient,
    responses: { 200: null },
    errors: ["client-not-found", "client-capabilities-cannot-be-removed", "mls-duplicate-public-key"],
  },
  "delete-client": {
    method: "DELETE",
    path: "/clients/{client}",
    auth: "user",
    summary: "Remove a device",
    params: schemas.clientPath,
    body: schemas.deleteClient,
    responses: { 200: null },
    errors: [
      "legal-hold-device",
      "client-not-found",
      "missing-auth",
      "invalid-credentials",
      "suspended",
      "pending-activation",
      "login-budget-exhausted",
      "too-many-requests",
    ],
  },
  "get-client-capabilities-v0": {
    ...getCapabilities,
    ...nested,
    responses: { 200: clientSchemas.nestedCapabilities },
  },
  "get-client-capabilities": {
    ...getCapabilities,
    ...flat,
    responses: { 200: clientSchemas.clientCapabilityList },
  },
  "get-client-prekeys": {
    method: "GET",
    path: "/clients/{client}/prekeys",
    auth: "user",
    summary: "List the ids of the prekeys that a device has left",
    params: schemas.clientPath,
    responses: { 200: schemas.prekeyIds },
    errors: [],
  },
  "get-nonce": { ...nonce, method: "GET", responses: { 204: null } },
  "head-nonce": { ...nonce, method: "HEAD", responses: { 200: null } },
  "create-access-token": {
    method: "POST",
    path: "/clients/{client}/access-token",
    auth: "user",
    summary: "Get a token that tells a certificate authority whose device this is",
    params: schemas.clientPath,
    headers: schemas.dpopHeaders,
    responses: { 200: schemas.dpopAccessToken },
    errors: [
      "client-token-parse-error",
      "client-token-bad-nonce",
      "client-token-bad-signature",
      "client-token-bad-client-id",
      "client-token-bad-method",
      "client-token-bad-uri",
      "client-token-bad-time",
      "missing-handle",
      "not-a-team-user",
      "client-not-found",
      "no-server-key-bundle",
    ],
  },
});
