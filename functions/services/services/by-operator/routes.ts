import { defineRoutes } from "#shared/platform/http/route.ts";
import * as schemas from "./schemas.ts";

const one = { auth: "internal", path: "/i/services/{pid}/{sid}", params: schemas.servicePath } as const;
const provider = { auth: "internal", path: "/i/services/{pid}", params: schemas.providerPath } as const;

export const routes = defineRoutes({
  "i-list-services": {
    method: "GET",
    path: "/i/services",
    auth: "internal",
    summary: "List the services of a provider, or those that are enabled",
    description: "At most 100 of those that are enabled, by name.",
    query: schemas.query,
    responses: { 200: schemas.services },
    errors: [],
  },
  "i-get-service": {
    ...one,
    method: "GET",
    summary: "Get a service",
    responses: { 200: schemas.service },
    errors: ["service-not-found"],
  },
  "i-put-service-enabled": {
    ...one,
    method: "PUT",
    audit: "service.changed",
    summary: "Enable or disable a service on behalf of its provider",
    description:
      "A service that is disabled leaves the directory and gets nothing. Its bots stay in their conversations, but only read what " +
      "is their own.",
    body: schemas.change,
    responses: { 200: null },
    errors: ["service-not-found"],
  },
  "i-delete-service": {
    ...one,
    method: "DELETE",
    audit: "service.deleted",
    summary: "Delete a service on behalf of its provider",
    description: "It is disabled immediately; its bots leave their conversations soon after the answer.",
    responses: { 202: null },
    errors: ["service-not-found"],
  },
  "i-get-provider": {
    ...provider,
    method: "GET",
    summary: "Get a provider with its services",
    responses: { 200: schemas.provider },
    errors: ["provider-not-found"],
  },
  "i-delete-provider": {
    ...provider,
    method: "DELETE",
    audit: "provider.deleted",
    summary: "Delete a provider with its services",
    responses: { 202: null },
    errors: ["provider-not-found"],
  },
});
