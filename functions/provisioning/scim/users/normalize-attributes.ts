import type * as z from "zod";

/** Attributes and sub-attributes of users in their usual spelling (RFC 7643 §4.1), by their names in lower case. */
const spellings = new Map(
  [
    ...["schemas", "externalId", "userName", "displayName", "active", "emails", "roles", "preferredLanguage"],
    ...["password", "name", "nickName", "profileUrl", "title", "userType", "locale", "timezone"],
    ...["phoneNumbers", "ims", "photos", "entitlements", "x509Certificates", "groups", "addresses"],
    ...["value", "type", "display", "primary", "formatted", "familyName", "givenName", "middleName"],
    ...["honorificPrefix", "honorificSuffix", "streetAddress", "locality", "region", "postalCode", "country"],
  ].map((name) => [name.toLowerCase(), name]),
);

/**
 * Brings the names of attributes into their usual spelling, and leaves out unknown ones and those that are null or an
 * empty list, which means the same as absent (RFC 7643 §2.1, §2.5). What is under the URN of a schema stays as it is.
 * Refuses an attribute that is there twice, in different spellings.
 */
export function normalizeAttributes(value: unknown, context: z.core.$RefinementCtx): unknown {
  if (Array.isArray(value)) return value.map((item) => normalizeAttributes(item, context));
  if (typeof value !== "object" || value === null) return value;
  const normalized = new Map<string, unknown>();
  for (const [key, attribute] of Object.entries(value)) {
    const isExtension = key.startsWith("urn:");
    const name = isExtension ? key : spellings.get(key.toLowerCase());
    if (name === undefined || isUnassigned(attribute)) continue;
    if (normalized.has(name)) context.addIssue({ code: "custom", path: [name], message: "is there twice" });
    normalized.set(name, isExtension ? attribute : normalizeAttributes(attribute, context));
  }
  return Object.fromEntries(normalized);
}

const isUnassigned = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
