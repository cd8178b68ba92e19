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
    totalResults: z.int().meta({ description: "On all pages" }),
    itemsPerPage: z.int().meta({ description: "On this page" }),
    startIndex: z.int().meta({ description: "Number of the first one on this page, counted from 1" }),
    Resources: z.array(resource),
  });

const names = z
  .string()
  .transform((text) => text.split(",").map((name) => name.trim()))
  .optional();

/** Query with which a client selects attributes (RFC 7644 §3.4.2.5). */
export const attributeSelection = {
  attributes: names.meta({
    description: "Attributes to return besides the id, separated by commas; absent: all",
  }),
  excludedAttributes: names.meta({ description: "Attributes to leave out, separated by commas" }),
};

/** Resources on one page of a list. */
export const maxPerPage = 100;

const integer = z
  .string()
  .regex(/^-?\d{1,9}$/, "an integer")
  .transform(Number);
/** Query with which a client selects a page (RFC 7644 §3.4.2.4). */
export const paging = {
  startIndex: integer
    .transform((index) => Math.max(index, 1))
    .default(1)
    .meta({ description: "Number of the first resource, counted from 1" }),
  count: integer
    .transform((count) => Math.min(Math.max(count, 0), maxPerPage))
    .default(maxPerPage)
    .meta({ description: `Maximum number of resources to return, up to ${maxPerPage}` }),
};

/**
 * Creates a preprocessing step that brings names of attributes into their usual spelling and drops those that are
 * unknown, null or an empty list, the latter two meaning absent (RFC 7643 §2.1, §2.5). What is under the URN of a
 * schema stays as it is. An attribute given twice, in different spellings, is refused.
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
      if (normalized.has(name)) context.addIssue({ code: "custom", path: [name], message: "is given twice" });
      normalized.set(name, isExtension ? attribute : normalize(attribute, context));
    }
    return Object.fromEntries(normalized);
  };
}

const isUnassigned = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
