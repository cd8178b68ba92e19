import * as z from "zod";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { scimList } from "../schemas.ts";

const schemas = z.array(z.string()).meta({ description: "What describes the resource" });
const meta = z
  .object({ resourceType: z.string(), location: z.string().meta({ description: "Address of the resource" }) })
  .meta({ id: "ScimDiscoveryMeta" });

const feature = z.object({ supported: z.boolean() }).meta({ id: "ScimFeature" });
const serviceProviderConfig = z
  .object({
    schemas,
    patch: feature,
    bulk: z.object({ supported: z.boolean(), maxOperations: z.int(), maxPayloadSize: z.int() }),
    filter: z.object({ supported: z.boolean(), maxResults: z.int() }),
    changePassword: feature,
    sort: feature,
    etag: feature,
    authenticationSchemes: z.array(
      z.object({
        type: z.string(),
        name: z.string(),
        description: z.string(),
        specUri: z.string(),
        primary: z.boolean(),
      }),
    ),
    meta,
  })
  .meta({ id: "ScimServiceProviderConfig" });

const attribute = z
  .object({
    name: z.string(),
    type: z.string(),
    multiValued: z.boolean(),
    description: z.string(),
    required: z.boolean(),
    canonicalValues: z.array(z.string()).readonly().optional(),
    caseExact: z.boolean().optional(),
    mutability: z.string(),
    returned: z.string(),
    uniqueness: z.string(),
    referenceTypes: z.array(z.string()).readonly().optional(),
    get subAttributes() {
      return z.array(attribute).readonly().optional();
    },
  })
  .meta({ id: "ScimAttribute" });

const schema = z
  .object({
    schemas,
    id: z.string().meta({ description: "URN" }),
    name: z.string(),
    description: z.string(),
    attributes: z.array(attribute).readonly(),
    meta,
  })
  .meta({ id: "ScimSchema" });

const resourceType = z
  .object({
    schemas,
    id: z.string(),
    name: z.string(),
    description: z.string(),
    endpoint: z.string(),
    schema: z.string().meta({ description: "URN of its schema" }),
    schemaExtensions: z
      .array(
        z.object({
          schema: z.string().meta({ description: "URN of the extension" }),
          required: z.boolean().meta({ description: "Whether every resource must have it" }),
        }),
      )
      .readonly()
      .optional(),
    meta,
  })
  .meta({ id: "ScimResourceType" });

const schemaList = scimList(schema).meta({ id: "ScimSchemaList" });
const resourceTypeList = scimList(resourceType).meta({ id: "ScimResourceTypeList" });

/** Resources of several types. */
const resourceList = scimList(z.looseObject({ schemas, id: z.string() })).meta({
  id: "ScimResourceList",
});

const schemaPath = z.object({ id: z.string().meta({ description: "URN of the schema" }) });
const resourceTypePath = z.object({
  id: z.string().meta({ description: "Name of the resource type" }),
});

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
    responses: { 200: resourceList },
    errors: ["scim-not-implemented"],
  },
  "scim-get-service-provider-config": {
    ...base,
    path: "/scim/v2/ServiceProviderConfig",
    summary: "Get which parts of SCIM the service supports",
    responses: { 200: serviceProviderConfig },
  },
  "scim-list-schemas": {
    ...base,
    path: "/scim/v2/Schemas",
    summary: "List the schemas of resources",
    responses: { 200: schemaList },
  },
  "scim-get-schema": {
    ...base,
    path: "/scim/v2/Schemas/{id}",
    summary: "Get the schema of a resource",
    params: schemaPath,
    responses: { 200: schema },
    errors: ["scim-not-found"],
  },
  "scim-list-resource-types": {
    ...base,
    path: "/scim/v2/ResourceTypes",
    summary: "List the resource types",
    responses: { 200: resourceTypeList },
  },
  "scim-get-resource-type": {
    ...base,
    path: "/scim/v2/ResourceTypes/{id}",
    summary: "Get a resource type",
    params: resourceTypePath,
    responses: { 200: resourceType },
    errors: ["scim-not-found"],
  },
});
