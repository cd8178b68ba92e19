import { richInfoUrns } from "#shared/provisioning/scim-rich-info.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { schemaUrns } from "../../schemas.ts";
import { attribute, type SchemaDocument } from "./attribute.ts";
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

/**
 * The two extensions of users with rich info. The map takes any name; a schema can only list names, so it has those of
 * `scim.richInfoFields`. The list nests deeper than RFC 7643 §2.3.8 allows, but no deeper than the schema of schemas.
 */
function richInfoSchemas(settings: Settings): readonly SchemaDocument[] {
  const urns = richInfoUrns(settings);
  return [
    {
      id: urns.map,
      name: "RichInfo",
      description:
        "Rich info as a map: fields of the profile by name. Any name can be used, not only a listed one",
      attributes: settings.scim.richInfoFields.map((name) =>
        attribute(name, "string", "A field of the profile"),
      ),
    },
    {
      id: urns.list,
      name: "RichInfoList",
      description: "Rich info as a list, which keeps the order of the fields",
      attributes: [
        attribute("richInfo", "complex", "The fields with the version of their form", {
          subAttributes: [
            attribute("version", "integer", "Always 0"),
            attribute("fields", "complex", "Fields of the profile, in order", {
              multiValued: true,
              subAttributes: [
                attribute("type", "string", "Name of the field, only once in the list"),
                attribute("value", "string", "Content; without any, the field is removed"),
              ],
            }),
          ],
        }),
      ],
    },
  ];
}
