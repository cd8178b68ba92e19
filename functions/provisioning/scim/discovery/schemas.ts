import * as z from "zod";
import { scimList } from "../schemas.ts";

const schemas = z.array(z.string()).meta({ description: "What describes the resource" });
const meta = z
  .object({ resourceType: z.string(), location: z.string().meta({ description: "Address of the resource" }) })
  .meta({ id: "ScimDiscoveryMeta" });

const feature = z.object({ supported: z.boolean() }).meta({ id: "ScimFeature" });
export const serviceProviderConfig = z
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

export const schema = z
  .object({
    schemas,
    id: z.string().meta({ description: "URN" }),
    name: z.string(),
    description: z.string(),
    attributes: z.array(attribute).readonly(),
    meta,
  })
  .meta({ id: "ScimSchema" });

export const resourceType = z
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

export const schemaList = scimList(schema).meta({ id: "ScimSchemaList" });
export const resourceTypeList = scimList(resourceType).meta({ id: "ScimResourceTypeList" });

/** Resources of several types. */
export const resourceList = scimList(z.looseObject({ schemas, id: z.string() })).meta({
  id: "ScimResourceList",
});

export const schemaPath = z.object({ id: z.string().meta({ description: "URN of the schema" }) });
export const resourceTypePath = z.object({
  id: z.string().meta({ description: "Name of the resource type" }),
});
