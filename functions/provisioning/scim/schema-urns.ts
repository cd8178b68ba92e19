const core = "urn:ietf:params:scim:schemas:core:2.0";

/** URNs of the schemas that every directory knows (RFC 7643 §8.7), and of lists (RFC 7644 §3.4.2). */
export const schemaUrns = {
  user: `${core}:User`,
  group: `${core}:Group`,
  schema: `${core}:Schema`,
  resourceType: `${core}:ResourceType`,
  serviceProviderConfig: `${core}:ServiceProviderConfig`,
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
} as const;
