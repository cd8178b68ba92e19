import { schemaUrns } from "../../schemas.ts";
import { type Attribute, readOnly, type SchemaDocument } from "./attribute.ts";

const characteristics = (subAttributes: readonly Attribute[] = []): readonly Attribute[] => [
  readOnly("name", "string", "Name of the attribute", { required: true, caseExact: true }),
  readOnly("type", "string", "Kind of its values", {
    required: true,
    canonicalValues: [
      "string",
      "complex",
      "boolean",
      "decimal",
      "integer",
      "dateTime",
      "reference",
      "binary",
    ],
  }),
  readOnly("multiValued", "boolean", "Whether it has several values", { required: true }),
  readOnly("description", "string", "What it means"),
  readOnly("required", "boolean", "Whether it is required"),
  readOnly("canonicalValues", "string", "Values that it can have", { multiValued: true, caseExact: true }),
  readOnly("caseExact", "boolean", "Whether the case of its value matters"),
  readOnly("mutability", "string", "Who may change it", {
    caseExact: true,
    canonicalValues: ["readOnly", "readWrite", "immutable", "writeOnly"],
  }),
  readOnly("returned", "string", "When answers include it", {
    caseExact: true,
    canonicalValues: ["always", "never", "default", "request"],
  }),
  readOnly("uniqueness", "string", "Among which resources its value is unique", {
    caseExact: true,
    canonicalValues: ["none", "server", "global"],
  }),
  readOnly("referenceTypes", "string", "What it may refer to", { multiValued: true, caseExact: true }),
  ...subAttributes,
];

/** RFC 7643 §8.7.2. */
export const schemaSchema: SchemaDocument = {
  id: schemaUrns.schema,
  name: "Schema",
  description: "The attributes of a resource",
  attributes: [
    readOnly("id", "string", "URN of the schema", { required: true, caseExact: true }),
    readOnly("name", "string", "Its name"),
    readOnly("description", "string", "What it describes"),
    readOnly("attributes", "complex", "Its attributes", {
      multiValued: true,
      required: true,
      subAttributes: characteristics([
        readOnly("subAttributes", "complex", "Sub-attributes of a complex attribute", {
          multiValued: true,
          subAttributes: characteristics(),
        }),
      ]),
    }),
  ],
};
