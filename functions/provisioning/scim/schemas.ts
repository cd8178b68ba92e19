import * as z from "zod";

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

/** Schema of a list of resources (RFC 7644 §3.4.2). */
export const scimList = <Resource extends z.ZodType>(resource: Resource) =>
  z.object({
    schemas: z.array(z.string()),
    totalResults: z.int().meta({ description: "Of all pages" }),
    itemsPerPage: z.int().meta({ description: "Of this page" }),
    startIndex: z
      .int()
      .meta({ description: "Number of the first one of this page: they are counted from 1" }),
    Resources: z.array(resource),
  });

const names = z
  .string()
  .transform((text) => text.split(",").map((name) => name.trim()))
  .optional();

/** Query by which a client asks for a part of each resource (RFC 7644 §3.4.2.5). */
export const attributeSelection = {
  attributes: names.meta({
    description: "What to return in addition to the id, separated by commas; absent: everything",
  }),
  excludedAttributes: names.meta({ description: "What not to return" }),
};

/**
 * Creates a preprocessing step that brings the names of attributes into their usual spelling, and leaves out unknown
 * ones and those that are null or an empty list, which means the same as absent (RFC 7643 §2.1, §2.5). What is under
 * the URN of a schema stays as it is. An attribute that is there twice, in different spellings, is refused.
 */
export function attributeNormalizer(
  names: readonly string[],
): (value: unknown, context: z.core.$RefinementCtx) => unknown {
  const spellings = new Map(names.map((name) => [name.toLowerCase(), name]));
  return function normalize(value, context): unknown {
    if (Array.isArray(value)) return value.map((item) => normalize(item, context));
    if (typeof value !== "object" || value === null) return value;
    const normalized = new Map<string, unknown>();
    for (const [key, attribute] of Object.entries(value)) {
      const isExtension = key.startsWith("urn:");
      const name = isExtension ? key : spellings.get(key.toLowerCase());
      if (name === undefined || isUnassigned(attribute)) continue;
      if (normalized.has(name)) context.addIssue({ code: "custom", path: [name], message: "is there twice" });
      normalized.set(name, isExtension ? attribute : normalize(attribute, context));
    }
    return Object.fromEntries(normalized);
  };
}

const isUnassigned = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
