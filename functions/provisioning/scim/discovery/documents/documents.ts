import { schemaUrns } from "../../schemas.ts";
import type { SchemaDocument } from "./attribute.ts";
import { groupSchema, userSchema } from "./resources.ts";
import { resourceTypeSchema, schemaSchema, serviceProviderConfigSchema } from "./service.ts";

/** The schemas that the service describes (RFC 7643 §8.7). */
export const schemaDocuments: readonly SchemaDocument[] = [
  userSchema,
  groupSchema,
  serviceProviderConfigSchema,
  schemaSchema,
  resourceTypeSchema,
];

/** The kinds of resources that directories create (RFC 7643 §6). */
export const resourceTypes = [
  {
    id: "User",
    name: "User",
    description: userSchema.description,
    endpoint: "/Users",
    schema: schemaUrns.user,
  },
  {
    id: "Group",
    name: "Group",
    description: groupSchema.description,
    endpoint: "/Groups",
    schema: schemaUrns.group,
  },
] as const;
