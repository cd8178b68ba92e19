import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { noSecondFactorByDefault } from "#shared/services/second-factor-guard.ts";
import * as schemas from "./schemas.ts";

const ofProvider = { auth: "provider", requires: [noSecondFactorByDefault] } as const;
const one = { ...ofProvider, path: "/provider/services/{sid}", params: schemas.servicePath } as const;

export const routes = defineRoutes({
  "post-provider-services": {
    ...ofProvider,
    method: "POST",
    audit: "service.created",
    path: "/provider/services",
    summary: "Create a service",
    description: "It is not enabled, so that nobody finds it before it works.",
    body: schemas.newService,
    responses: { 201: schemas.createdService },
    errors: ["invalid-service-key", "invalid-provider", "too-many-services"],
  },
  "get-provider-services": {
    ...ofProvider,
    method: "GET",
    path: "/provider/services",
    summary: "List your services",
    responses: { 200: z.array(schemas.service) },
    errors: [],
  },
  "get-provider-services-by-service-id": {
    ...one,
    method: "GET",
    summary: "Get one of your services",
    responses: { 200: schemas.service },
    errors: ["service-not-found"],
  },
  "put-provider-services-by-service-id": {
    ...one,
    method: "PUT",
    audit: "service.changed",
    summary: "Change the profile of a service",
    description: "Absent fields stay. Bots keep the name with which they were added.",
    body: schemas.serviceUpdate,
    responses: { 200: null },
    errors: ["service-not-found"],
  },
  "put-provider-services-connection-by-service-id": {
    ...one,
    method: "PUT",
    audit: "service.changed",
    path: "/provider/services/{sid}/connection",
    summary: "Change how a service is reached, or enable or disable it",
    description:
      "Absent fields stay. With two keys and two tokens, both can be replaced without an interruption. A service that " +
      "is disabled leaves the directory and gets nothing, but its bots stay in their conversations.",
    body: schemas.connectionUpdate,
    responses: { 200: null },
    errors: ["provider-login-failed", "too-many-requests", "service-not-found", "invalid-service-key"],
  },
  "delete-provider-services-by-service-id": {
    ...one,
    method: "DELETE",
    audit: "service.deleted",
    summary: "Delete a service",
    description: "It is disabled immediately; its bots leave their conversations soon after the answer.",
    body: schemas.removal,
    responses: { 202: null },
    errors: ["provider-login-failed", "too-many-requests", "service-not-found"],
  },
});
