import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { parseAttributes, type ScimUser } from "../scim-user.ts";
import { invalidPath, type PatchableAttribute, type Path, parsePath } from "./parse-path.ts";
import { patchSchema } from "./schemas.ts";

/** What one operation does to a user. */
export interface Edit {
  /** Attributes that it sets; undefined stands for a user without the attribute. */
  readonly attributes?: { readonly [Name in keyof ScimUser]?: ScimUser[Name] | undefined };
  /** The field of rich info that it sets; without a value, it is removed. */
  readonly field?: { readonly name: string; readonly value: string | undefined };
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the operations of a PATCH (RFC 7644 §3.5.2) in order. Accepts what directories are known to send: names of
 * operations in any case, booleans as texts, a value as the only one of a list.
 *
 * @throws ApiError `scim-invalid-operation`, `scim-invalid-path`, `scim-invalid-value`, `scim-no-target`,
 *   `scim-mutability`
 */
export function readOperations(body: Json, settings: Settings): Edit[] {
  const { schemas, operations = [] } = lowerCased(body);
  if (!(Array.isArray(schemas) && schemas.includes(patchSchema)))
    throw new ApiError("scim-invalid-operation", { message: `schemas: must contain ${patchSchema}` });
  if (!Array.isArray(operations)) throw invalidOperation("Operations: must be a list");
  return operations.map((operation) => readOperation(operation, settings));
}

function readOperation(operation: unknown, settings: Settings): Edit {
  if (!isObject(operation)) throw invalidOperation("Operations: each must be an object");
  const { op, path: text, value } = lowerCased(operation);
  if (text !== undefined && typeof text !== "string") throw new ApiError("scim-invalid-path");
  const path = text === undefined ? undefined : parsePath(text, settings);
  switch (typeof op === "string" ? op.toLowerCase() : undefined) {
    case "add":
    case "replace":
      if (value === undefined) throw invalidValue("value: is missing");
      return path === undefined ? replaceMany(value, settings) : replace(path, value, settings);
    case "remove":
      if (path === undefined) throw new ApiError("scim-no-target");
      return remove(path);
    default:
      throw invalidOperation("op: must be add, replace or remove");
  }
}

function replace(path: Path, value: unknown, settings: Settings): Edit {
  switch (path.kind) {
    case "attribute":
      return isEmptyList(value)
        ? remove(path)
        : { attributes: readAttribute(path.attribute, value, settings) };
    case "field": {
      const text = onlyValue(value);
      if (typeof text !== "string") throw invalidValue(`${path.name}: must be a text`);
      return { field: { name: path.name, value: text } };
    }
    case "other":
      throw invalidPath(path.text);
  }
}

/** Without a path, the value has the attributes to replace by their names. */
function replaceMany(value: unknown, settings: Settings): Edit {
  if (!isObject(value)) throw invalidValue("value: must be an object where there is no path");
  const edits = Object.entries(value).map(([name, part]) => {
    const path = parsePath(name, settings);
    if (path.kind !== "attribute") throw invalidPath(name);
    return part === null || isEmptyList(part) ? {} : readAttribute(path.attribute, part, settings);
  });
  return { attributes: Object.assign({}, ...edits) };
}

function remove(path: Path): Edit {
  switch (path.kind) {
    case "attribute":
      return { attributes: removed[path.attribute]() };
    case "field":
      return { field: { name: path.name, value: undefined } };
    case "other":
      return {};
  }
}

/** The value that a user without the attribute has, or why it must not be removed. */
const removed: Readonly<Record<PatchableAttribute, () => Edit["attributes"] & object>> = {
  userName: () => {
    throw new ApiError("scim-mutability", { message: "userName: must not be removed" });
  },
  externalId: () => {
    throw invalidValue("externalId: is required");
  },
  displayName: () => ({ displayName: undefined }),
  active: () => ({ active: true }),
  roles: () => ({ role: undefined }),
};

const readAttribute = (attribute: PatchableAttribute, value: unknown, settings: Settings) =>
  attribute === "roles"
    ? parseAttributes({ roles: Array.isArray(value) ? value : [value] }, settings)
    : parseAttributes({ [attribute]: onlyValue(value) }, settings);

/** Some directories send every value as if the attribute had several: `[{"value": true}]`. */
function onlyValue(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(only) && "value" in lowerCased(only) ? lowerCased(only).value : only;
}

/** Attributes by their names in lower case (RFC 7643 §2.1); those that are null count as absent (§2.5). */
const lowerCased = (object: Json): Json =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (value === null ? [] : [[name.toLowerCase(), value]])),
  );

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

const invalidOperation = (message: string) => new ApiError("scim-invalid-operation", { message });
const invalidValue = (message: string) => new ApiError("scim-invalid-value", { message });
