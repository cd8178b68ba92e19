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
