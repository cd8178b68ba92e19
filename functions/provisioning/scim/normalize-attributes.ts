import type * as z from "zod";

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
