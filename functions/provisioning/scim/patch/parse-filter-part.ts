import { ApiError } from "#shared/platform/http/api-error.ts";

/** A comparison of a sub-attribute for equality. */
export interface Comparison {
  /** In lower case. */
  readonly name: string;
  /** A boolean is in lower case, even if it is written as a text. */
  readonly value: string;
}

/** Pattern of a filter in a path (RFC 7644 §3.5.2), whose content is a group; each part has only one way to match. */
export const filterPart = /\[((?:[^"\]]|"(?:[^"\\]|\\.)*")+)\]/.source;

const comparison = /\s*([a-z$][\w$.-]*)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*(?:and(?=\s)|$)/iy;

/**
 * Reads the content of a filter as comparisons that must all hold.
 * @throws ApiError `scim-invalid-filter`
 */
export function parseFilterPart(filter: string): Comparison[] {
  const found: Comparison[] = [];
  for (let index = 0; index < filter.length; index = comparison.lastIndex) {
    comparison.lastIndex = index;
    const [, name = "", value = ""] = comparison.exec(filter) ?? [];
    if (name === "")
      throw new ApiError("scim-invalid-filter", {
        message: "A filter in a path may only have comparisons by `eq`, joined by `and`",
      });
    const text = value.startsWith('"') ? parseText(value) : value;
    found.push({ name: name.toLowerCase(), value: /^(true|false)$/i.test(text) ? text.toLowerCase() : text });
  }
  return found;
}

function parseText(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch (cause) {
    throw new ApiError("scim-invalid-filter", { cause });
  }
}
