import { ApiError } from "#shared/platform/http/api-error.ts";
import { isListOfSchemas, parseRichInfo, richInfoUrns } from "#shared/provisioning/scim-rich-info.ts";
import type { Settings } from "#shared/registry/settings.ts";
import {
  type Comparison,
  entriesOf,
  invalidValue,
  isObject,
  isUnassigned,
  type Json,
  listOf,
  type Operation,
  onlyValue,
  pick,
  readPatch,
} from "../../patch/read-patch.ts";
import { parseAttributes, type ScimUser } from "../scim-user.ts";
import { invalidPath, type PatchableAttribute, type Path, parsePath } from "./parse-path.ts";

/** The effect of an operation, or of a part of it, on a user. */
export interface Edit {
  /** Attributes that it sets; undefined stands for a user without the attribute. */
  readonly attributes?: { readonly [Name in keyof ScimUser]?: ScimUser[Name] | undefined };
  /** Decides whether it applies to the user after the previous edits. @throws ApiError `scim-no-target` */
  readonly appliesTo?: (user: ScimUser) => boolean;
  /** The field of rich info that it sets; without a value, it is removed. */
  readonly field?: { readonly name: string; readonly value: string | undefined };
  /** Whether it removes all fields of rich info. */
  readonly clearsFields?: boolean;
}

type Op = Operation["op"];
type AttributePath = Path & { readonly kind: "attribute" };

/**
 * Reads the operations of a PATCH (RFC 7644 §3.5.2) in order. Accepts what directories are known to send: names of
 * operations in any case, booleans as texts, a value as the only one of a list, paths as the names of a value.
 *
 * @throws ApiError `scim-invalid-operation`, `scim-invalid-path`, `scim-invalid-filter`, `scim-invalid-value`,
 *   `scim-no-target`, `scim-mutability`
 */
export const readOperations = (body: Json, settings: Settings): Edit[] =>
  readPatch(body).flatMap(({ op, path: text, value }) => {
    if (text === undefined) return setMany(op, value, settings);
    const path = parsePath(text, settings);
    return op === "remove" ? [remove(path)] : set(op, path, value, settings);
  });

/** Sets attributes by their paths. Some directories send all of the resource that they have read. */
const setMany = (op: Op, value: unknown, settings: Settings): Edit[] =>
  entriesOf(value).flatMap(([name, part]) => {
    const path = parsePath(name, settings);
    return path.kind === "read-only" ? [] : set(op, path, part, settings);
  });

function set(op: Op, path: Path, value: unknown, settings: Settings): Edit[] {
  if (isUnassigned(value)) return [remove(path)];
  switch (path.kind) {
    case "attribute":
      return [setAttribute(op, path, value, settings)];
    case "field":
      return [setField(path.name, onlyValue(value))];
    case "extension":
      return setExtension(path.urn, value, settings);
    case "ignored":
      return [];
    case "read-only":
      throw new ApiError("scim-mutability", { message: `${path.text}: only the service sets it` });
    case "password":
      throw invalidValue("password: users choose it themselves");
    case "other":
      throw invalidPath(path.text);
  }
}

function setAttribute(op: Op, path: AttributePath, value: unknown, settings: Settings): Edit {
  const { attribute, filter, subAttribute = "value" } = path;
  // Kinds, names and other parts of values are not kept.
  if (subAttribute !== "value") return {};
  if (attribute === "emails") return setAddress(op, filter, value, settings);
  if (attribute === "roles") {
    const isSecondary = filter?.some(({ name, value }) => name === "primary" && value === "false");
    return isSecondary ? {} : { attributes: parseAttributes({ roles: listOf(value) }, settings) };
  }
  const only = onlyValue(value);
  const isNone = only === null || (isBlank(only) && mayBeBlank.includes(attribute));
  return isNone ? remove(path) : { attributes: parseAttributes({ [attribute]: only }, settings) };
}

/**
 * A user keeps only the work address, or the primary one; others that a directory names by type, or adds, are dropped.
 */
function setAddress(
  op: Op,
  filter: readonly Comparison[] | undefined,
  value: unknown,
  settings: Settings,
): Edit {
  const emails = listOf(value).map((one) => (typeof one === "string" ? { value: one } : one));
  const read = (values: readonly unknown[]) => ({
    attributes: parseAttributes({ emails: values }, settings),
  });
  if (filter !== undefined) {
    const isOther = filter.some(
      ({ name, value }) =>
        (name === "type" && value.toLowerCase() !== "work") || (name === "primary" && value === "false"),
    );
    const former = filter.find(({ name }) => name === "value")?.value;
    return isOther ? {} : { ...read(emails), ...(former !== undefined && { appliesTo: hasAddress(former) }) };
  }
  if (op === "replace") return read(emails);
  const main = emails.filter(isMain);
  return main.length > 0 ? read(main) : { ...read(emails), appliesTo: ({ email }) => email === undefined };
}

function isMain(email: unknown): boolean {
  if (!isObject(email)) return true;
  const { type, primary } = pick(email, ["type", "primary"]);
  return /^true$/i.test(String(primary)) || (type ?? "work") === "work";
}

const hasAddress =
  (address: string) =>
  ({ email }: ScimUser): boolean => {
    if (email?.toLowerCase() === address.toLowerCase()) return true;
    throw new ApiError("scim-no-target", { message: "emails: the user has no such value" });
  };

function setField(name: string, value: unknown): Edit {
  if (value === null) return { field: { name, value: undefined } };
  if (typeof value !== "string") throw invalidValue(`${name}: must be a text`);
  return { field: { name, value } };
}

/** Sets the fields that the map or the list of rich info has; others stay. */
function setExtension(urn: string, value: unknown, settings: Settings): Edit[] {
  if (!isObject(value)) throw invalidValue(`${urn}: must be an object`);
  if (urn === richInfoUrns(settings).map)
    return Object.entries(value)
      .filter(([name, part]) => !isListOfSchemas(name, part))
      .map(([name, part]) => setField(name, part));
  return parseRichInfo({ [urn]: value }, settings).fields.map(({ type, value }) => setField(type, value));
}

function remove(path: Path): Edit {
  switch (path.kind) {
    case "attribute":
      return { attributes: removed[path.attribute]() };
    case "field":
      return { field: { name: path.name, value: undefined } };
    case "extension":
      return { clearsFields: true };
    default:
      return {};
  }
}

/** The value that a user without the attribute has; a required one must not be removed (RFC 7644 §3.5.2.2). */
const removed: Readonly<Record<PatchableAttribute, () => Edit["attributes"] & object>> = {
  userName: () => {
    throw new ApiError("scim-mutability", { message: "userName: must not be removed" });
  },
  externalId: () => {
    throw new ApiError("scim-mutability", { message: "externalId: must not be removed" });
  },
  displayName: () => ({ displayName: undefined }),
  active: () => ({ active: true }),
  // As in a PUT, the user keeps these.
  roles: () => ({}),
  emails: () => ({}),
  preferredLanguage: () => ({ preferredLanguage: undefined }),
};

/** Attributes for which an empty text means absent. */
const mayBeBlank: readonly PatchableAttribute[] = ["displayName", "preferredLanguage"];
const isBlank = (value: unknown) => typeof value === "string" && value.trim() === "";
