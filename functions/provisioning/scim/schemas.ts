import * as z from "zod";

const core = "urn:ietf:params:scim:schemas:core:2.0";

/** URNs of the schemas that every directory knows (RFC 7643 §8.7), and of lists and searches (RFC 7644 §3.4). */
export const schemaUrns = {
  user: `${core}:User`,
  group: `${core}:Group`,
  schema: `${core}:Schema`,
  resourceType: `${core}:ResourceType`,
  serviceProviderConfig: `${core}:ServiceProviderConfig`,
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  search: "urn:ietf:params:scim:api:messages:2.0:SearchRequest",
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

/** Names between commas; undefined if there are none, since some clients always send the parameter. */
const attributeNames = z.string().transform((text) => {
  const names = text.split(",").map((name) => name.trim());
  return names.some((name) => name !== "") ? names : undefined;
});

/** Query with which a client selects attributes (RFC 7644 §3.4.2.5). */
export const attributeSelection = {
  attributes: attributeNames.optional().meta({
    description: "Attributes to return besides the id, separated by commas; absent: all",
  }),
  excludedAttributes: attributeNames
    .optional()
    .meta({ description: "Attributes to leave out, separated by commas" }),
};

/** Resources on one page of a list. */
export const maxPerPage = 100;

/** A larger number would not fit into the 32 bits that clients use. */
const lastIndex = 2 ** 31 - 1;

/** Brings a number of any size, which may be a text, into a range; an empty text stands for the default. */
const clamp =
  ({ min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number }) =>
  (value: string | number): number =>
    value === "" ? fallback : Math.min(Math.max(Math.trunc(Number(value)), min), max);
const toStartIndex = clamp({ min: 1, max: lastIndex, fallback: 1 });
const toCount = clamp({ min: 0, max: maxPerPage, fallback: maxPerPage });

const integer = z.string().regex(/^(?:-?\d+(?:e\d+)?)?$/i, "an integer");
const startIndexMeta = { description: "Number of the first resource, counted from 1; of any size" };
const countMeta = { description: `Maximum number of resources to return, of which ${maxPerPage} are` };
/** Query with which a client selects a page (RFC 7644 §3.4.2.4). */
export const paging = {
  startIndex: integer.default("1").transform(toStartIndex).meta(startIndexMeta),
  count: integer.default(String(maxPerPage)).transform(toCount).meta(countMeta),
};

/**
 * Creates a preprocessing step that brings names of attributes into their usual spelling and drops those that are
 * unknown, null or an empty list, the latter two meaning absent (RFC 7643 §2.1, §2.5), as does null in a list. Content
 * under the URN of a schema stays as it is. An attribute given twice, in different spellings, is refused.
 */
export function attributeNormalizer(
  names: readonly string[],
): (value: unknown, context: z.core.$RefinementCtx) => unknown {
  const spellings = new Map(names.map((name) => [name.toLowerCase(), name]));
  return function normalize(value, context): unknown {
    if (Array.isArray(value))
      return value.filter((item) => item !== null).map((item) => normalize(item, context));
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

const names = z.union([attributeNames, z.array(z.string())]).optional();
const number = z.union([z.number(), integer]);

/**
 * Creates the schema of a search by POST (RFC 7644 §3.4.3), which asks for what a query asks for.
 * @param filter an example
 */
export const searchRequest = (id: string, filter: string) =>
  z
    .preprocess(
      attributeNormalizer(["schemas", "filter", "attributes", "excludedAttributes", "startIndex", "count"]),
      z.object({
        schemas: z.array(z.string()).optional(),
        filter: z.string().optional().meta({ description: "As in a query" }),
        attributes: names.meta({ description: "Attributes to return besides the id; absent: all" }),
        excludedAttributes: names.meta({ description: "Attributes to leave out" }),
        startIndex: number.default(1).transform(toStartIndex).meta(startIndexMeta),
        count: number.default(maxPerPage).transform(toCount).meta(countMeta),
      }),
    )
    .meta({
      id,
      description: "What a query of the list says; names of attributes may be in any case",
      examples: [{ schemas: [schemaUrns.search], filter, startIndex: 1, count: 10 }],
    });
