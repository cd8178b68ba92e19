import { schemaUrns } from "../../schemas.ts";
import { type Attribute, readOnly, type SchemaDocument } from "./attribute.ts";

const feature = (name: string, description: string, more: readonly Attribute[] = []): Attribute =>
  readOnly(name, "complex", description, {
    required: true,
    subAttributes: [
      readOnly("supported", "boolean", "Whether the service has it", { required: true }),
      ...more,
    ],
  });

/** RFC 7643 §8.7.2. */
export const serviceProviderConfigSchema: SchemaDocument = {
  id: schemaUrns.serviceProviderConfig,
  name: "ServiceProviderConfig",
  description: "What the service supports",
  attributes: [
    readOnly("documentationUri", "reference", "Address of a description for people", {
      referenceTypes: ["external"],
    }),
    feature("patch", "Changes of parts of a resource"),
    feature("bulk", "Several operations in one request", [
      readOnly("maxOperations", "integer", "Most operations of one request", { required: true }),
      readOnly("maxPayloadSize", "integer", "Most bytes of one request", { required: true }),
    ]),
    feature("filter", "Filters of lists", [
      readOnly("maxResults", "integer", "Most resources in one answer", { required: true }),
    ]),
    feature("changePassword", "Passwords that the directory sets"),
    feature("sort", "Lists in an order of the client's choice"),
    feature("etag", "Requests that depend on the version of a resource"),
    readOnly("authenticationSchemes", "complex", "How requests are authenticated", {
      multiValued: true,
      required: true,
      subAttributes: [
        readOnly("type", "string", "The scheme", {
          required: true,
          canonicalValues: ["oauth", "oauth2", "oauthbearertoken", "httpbasic", "httpdigest"],
        }),
        readOnly("name", "string", "What it is called", { required: true }),
        readOnly("description", "string", "How to use it", { required: true }),
        readOnly("specUri", "reference", "Where it is specified", { referenceTypes: ["external"] }),
        readOnly("documentationUri", "reference", "Where its use is described", {
          referenceTypes: ["external"],
        }),
      ],
    }),
  ],
};
