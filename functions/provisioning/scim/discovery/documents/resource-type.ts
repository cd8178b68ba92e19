import { schemaUrns } from "../../schemas.ts";
import { readOnly, type SchemaDocument } from "./attribute.ts";

/** RFC 7643 §8.7.2. */
export const resourceTypeSchema: SchemaDocument = {
  id: schemaUrns.resourceType,
  name: "ResourceType",
  description: "A kind of resource",
  attributes: [
    readOnly("id", "string", "Its id, which is its name"),
    readOnly("name", "string", "Its name", { required: true }),
    readOnly("description", "string", "What it is"),
    readOnly("endpoint", "reference", "Its path, relative to the base address", {
      required: true,
      referenceTypes: ["uri"],
    }),
    readOnly("schema", "reference", "URN of its schema", {
      required: true,
      referenceTypes: ["uri"],
    }),
    readOnly("schemaExtensions", "complex", "Schemas that extend it", {
      multiValued: true,
      subAttributes: [
        readOnly("schema", "reference", "URN of the extension", { required: true, referenceTypes: ["uri"] }),
        readOnly("required", "boolean", "Whether every resource must have it", { required: true }),
      ],
    }),
  ],
};
