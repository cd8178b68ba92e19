import { richInfoUrns } from "#shared/provisioning/scim-rich-info.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { schemaUrns } from "../../schemas.ts";
import type { SchemaDocument } from "./attribute.ts";
import { richInfoSchemas } from "./extensions.ts";
import { groupSchema, userSchema } from "./resources.ts";
import { resourceTypeSchema, schemaSchema, serviceProviderConfigSchema } from "./service.ts";

/** Creates the schemas that the service describes (RFC 7643 §8.7). */
export const schemaDocuments = (settings: Settings): readonly SchemaDocument[] => [
  userSchema,
  ...richInfoSchemas(settings),
  groupSchema,
  serviceProviderConfigSchema,
  schemaSchema,
  resourceTypeSchema,
];

interface ResourceTypeDocument {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  readonly schema: string;
  readonly schemaExtensions?: readonly { readonly schema: string; readonly required: boolean }[];
}

/** Creates the kinds of resources that directories create (RFC 7643 §6). */
export const resourceTypes = (settings: Settings): readonly ResourceTypeDocument[] => [
  {
    id: "User",
    name: "User",
    description: userSchema.description,
    endpoint: "/Users",
    schema: schemaUrns.user,
    schemaExtensions: Object.values(richInfoUrns(settings)).map((schema) => ({ schema, required: false })),
  },
  {
    id: "Group",
    name: "Group",
    description: groupSchema.description,
    endpoint: "/Groups",
    schema: schemaUrns.group,
  },
];
