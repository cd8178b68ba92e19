import { schemaUrns } from "../../schemas.ts";
import { type Attribute, readOnly, type SchemaDocument } from "./attribute.ts";

const feature = (name: string, description: string, more: readonly Attribute[] = []): Attribute =>
  readOnly(name, "complex", description, {
    required: true,
    subAttributes: [
      readOnly("supported", "boolean", "Whether the service supports it", { required: true }),
      ...more,
    ],
  });

/** RFC 7643 §8.7.2. */
export const serviceProviderConfigSchema: SchemaDocument = {
  id: schemaUrns.serviceProviderConfig,
  name: "ServiceProviderConfig",
  description: "What the service supports",
  attributes: [
    readOnly("documentationUri", "reference", "Address of the documentation", {
      referenceTypes: ["external"],
    }),
    feature("patch", "Partial changes of a resource"),
    feature("bulk", "Several operations in one request", [
      readOnly("maxOperations", "integer", "Maximum number of operations in one request", { required: true }),
      readOnly("maxPayloadSize", "integer", "Maximum size of a request in bytes", { required: true }),
    ]),
    feature("filter", "Filters of lists", [
      readOnly("maxResults", "integer", "Maximum number of resources in one answer", { required: true }),
    ]),
    feature("changePassword", "Passwords that the directory sets"),
    feature("sort", "Sorted lists"),
    feature("etag", "Requests that depend on the version of a resource"),
    readOnly("authenticationSchemes", "complex", "How requests are authenticated", {
      multiValued: true,
      required: true,
      subAttributes: [
        readOnly("type", "string", "The scheme", {
          required: true,
          canonicalValues: ["oauth", "oauth2", "oauthbearertoken", "httpbasic", "httpdigest"],
        }),
        readOnly("name", "string", "Its name", { required: true }),
        readOnly("description", "string", "How to use it", { required: true }),
        readOnly("specUri", "reference", "Where it is specified", { referenceTypes: ["external"] }),
        readOnly("documentationUri", "reference", "Where its use is documented", {
          referenceTypes: ["external"],
        }),
      ],
    }),
  ],
};

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
