import { ApiError } from "#shared/platform/http/api-error.ts";
import { patchSchema } from "./schemas.ts";

export type Json = Readonly<Record<string, unknown>>;

/** An operation of a PATCH, as yet without a meaning. */
export interface Operation {
  readonly op: "add" | "replace" | "remove";
  readonly path: string | undefined;
  /** Undefined: there is none; null: no value. */
  readonly value: unknown;
}

/**
 * Reads the operations of a PATCH (RFC 7644 §3.5.2), with all names, those of operations included, in any case.
 * @throws ApiError `scim-invalid-operation`, `scim-invalid-path`, `scim-invalid-value` without a value to set,
 *   `scim-no-target` without a path to remove
 */
export function readPatch(body: Json): Operation[] {
  const { schemas, operations } = pick(body, ["schemas", "operations"]);
  if (!(Array.isArray(schemas) && schemas.includes(patchSchema)))
    throw invalidOperation(`schemas: must contain ${patchSchema}`);
  if (!Array.isArray(operations ?? [])) throw invalidOperation("Operations: must be a list");
  return ((operations ?? []) as unknown[]).map(readOperation);
}

function readOperation(operation: unknown): Operation {
  if (!isObject(operation)) throw invalidOperation("Operations: each must be an object");
  const { op: name, path: written, value } = pick(operation, ["op", "path", "value"]);
  // Clients in typed languages send a path that they do not set as null or as an empty text.
  const path = written === null || written === "" ? undefined : written;
  const op = typeof name === "string" ? name.toLowerCase() : undefined;
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw invalidOperation("op: must be add, replace or remove");
  if (!(typeof path === "string" || path === undefined))
    throw new ApiError("scim-invalid-path", { message: "path: must be a text" });
  if (op !== "remove" && value === undefined) throw invalidValue("value: is missing");
  if (op === "remove" && path === undefined) throw new ApiError("scim-no-target");
  return { op, path, value };
}

/** Without a path, the value of an operation has attributes by their names, or by their paths. */
export function entriesOf(value: unknown): [path: string, value: unknown][] {
  if (!isObject(value)) throw invalidValue("value: must be an object where there is no path");
  return Object.entries(value);
}

/** The named attributes alone, in lower case (RFC 7643 §2.1): an object may have tens of thousands of others. */
export const pick = (object: Json, names: readonly string[]): Json =>
  Object.fromEntries(
    Object.keys(object).flatMap((key) => {
      const name = key.toLowerCase();
      return names.includes(name) ? [[name, object[key]]] : [];
    }),
  );

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value means that there is none (RFC 7643 §2.5). */
export const isUnassigned = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0);

/** The values of a multi-valued attribute; some directories send a single value without a list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Some directories send every value as if the attribute had several: `[{"value": true}]`. */
export function onlyValue(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const picked = isObject(only) ? pick(only, ["value"]) : {};
  return "value" in picked ? picked.value : only;
}

const invalidOperation = (message: string) => new ApiError("scim-invalid-operation", { message });
export const invalidValue = (message: string): ApiError => new ApiError("scim-invalid-value", { message });

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
