import { schemaUrns } from "../../schemas.ts";
import { attribute, type SchemaDocument } from "./attribute.ts";

/** What a directory can set and read of a group (RFC 7643 §4.2). */
export const groupSchema: SchemaDocument = {
  id: schemaUrns.group,
  name: "Group",
  description: "A group of provisioned users",
  attributes: [
    attribute("displayName", "string", "Name, of up to 4000 characters", { required: true }),
    attribute("members", "complex", "Users provisioned by the directory", {
      multiValued: true,
      subAttributes: [
        attribute("value", "string", "Id of the user", { mutability: "immutable" }),
        attribute("$ref", "reference", "Address of the user", {
          mutability: "immutable",
          referenceTypes: ["User"],
        }),
        attribute("type", "string", "Always a user", { mutability: "immutable", canonicalValues: ["User"] }),
      ],
    }),
  ],
};
