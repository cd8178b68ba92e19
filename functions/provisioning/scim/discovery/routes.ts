import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

const base = {
  method: "GET",
  auth: "none",
  errorFormat: "scim",
  allowsTrailingSlash: true,
  errors: [],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "scim-search": {
    ...base,
    method: "POST",
    audit: unaudited.reading,
    path: "/scim/v2/.search",
    hidesOtherMethods: true,
    summary: "Search all types of resources",
    description: "Not implemented: `scim-search-users` and `scim-search-groups` search one of them.",
    responses: { 200: schemas.resourceList },
    errors: ["scim-not-implemented"],
  },
  "scim-get-service-provider-config": {
    ...base,
    path: "/scim/v2/ServiceProviderConfig",
    summary: "Get which parts of SCIM the service supports",
    responses: { 200: schemas.serviceProviderConfig },
  },
  "scim-list-schemas": {
    ...base,
    path: "/scim/v2/Schemas",
    summary: "List the schemas of resources",
    responses: { 200: schemas.schemaList },
  },
  "scim-get-schema": {
    ...base,
    path: "/scim/v2/Schemas/{id}",
    summary: "Get the schema of a resource",
    params: schemas.schemaPath,
    responses: { 200: schemas.schema },
    errors: ["scim-not-found"],
  },
  "scim-list-resource-types": {
    ...base,
    path: "/scim/v2/ResourceTypes",
    summary: "List the resource types",
    responses: { 200: schemas.resourceTypeList },
  },
  "scim-get-resource-type": {
    ...base,
    path: "/scim/v2/ResourceTypes/{id}",
    summary: "Get a resource type",
    params: schemas.resourceTypePath,
    responses: { 200: schemas.resourceType },
    errors: ["scim-not-found"],
  },
});
