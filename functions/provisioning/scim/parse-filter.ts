import { ApiError } from "#shared/platform/http/api-error.ts";

/** Supported filter operators (RFC 7644 §3.4.2.2). */
type Operator = "eq" | "co";

/** The attributes and operators that filters of a resource may use. */
export interface FilterGrammar<Attribute extends string> {
  /** URN of the schema, with which an attribute may be prefixed. */
  readonly schema: string;
  /** The operators that each attribute supports. */
  readonly attributes: Readonly<Record<Attribute, readonly Operator[]>>;
}

export interface Filter<Attribute extends string> {
  readonly attribute: Attribute;
  readonly operator: Operator;
  readonly value: string;
}

/** More than a URL leaves room for. */
const longestFilter = 8192;

/** A comparison with a text. Up to the next space or quote, each part has only one way to match, so matching is linear. */
const comparison = /^ *([^\s"]+) +([a-z]+) +("(?:[^"\\]|\\.)*") *$/i;

/**
 * Parses a filter that compares one attribute with a text, such as `userName eq "ada"`. Attributes and operators may be
 * in any case (RFC 7643 §2.1), schema URNs may not.
 *
 * @throws ApiError `scim-invalid-filter` for everything else
 */
export function parseFilter<Attribute extends string>(
  filter: string,
  { schema, attributes }: FilterGrammar<Attribute>,
): Filter<Attribute> {
  const [, path = "", written = "", text = ""] =
    filter.length > longestFilter ? [] : (comparison.exec(filter) ?? []);
  const name = path.startsWith(`${schema}:`) ? path.slice(schema.length + 1) : path;
  const attribute = (Object.keys(attributes) as Attribute[]).find(
    (known) => known.toLowerCase() === name.toLowerCase(),
  );
  const operator = attribute && attributes[attribute].find((known) => known === written.toLowerCase());
  const value = parseText(text);
  if (attribute === undefined || operator === undefined || value === undefined) {
    const known = Object.entries<readonly Operator[]>(attributes).flatMap(([name, operators]) =>
      operators.map((one) => `\`${name} ${one} "…"\``),
    );
    throw new ApiError("scim-invalid-filter", { message: `The filter must be ${known.join(" or ")}` });
  }
  return { attribute, operator, value };
}

/** Parses a JSON string (RFC 8259 §7); undefined for anything else, and for lone surrogates, which DynamoDB refuses. */
function parseText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" && value.isWellFormed() ? value : undefined;
  } catch {
    return undefined;
  }
}
