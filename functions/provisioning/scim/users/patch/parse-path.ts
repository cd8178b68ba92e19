import { ApiError } from "#shared/platform/http/api-error.ts";
import { richInfoUrns } from "#shared/provisioning/scim-rich-info.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Comparison, filterPart, parseFilterPart } from "../../patch/read-patch.ts";
import { coreSchema, ignoredAttributes } from "../routes.ts";

/** The attributes that a PATCH may change. */
const patchable = [
  "userName",
  "displayName",
  "externalId",
  "active",
  "roles",
  "emails",
  "preferredLanguage",
] as const;
export type PatchableAttribute = (typeof patchable)[number];
const multiValued: readonly PatchableAttribute[] = ["roles", "emails"];

/** Attributes that only the service sets (RFC 7643 §3.1, §4.1.2). */
const readOnly = ["id", "meta", "groups"];

/** Attributes of users in RFC 7643 that the service does not keep. */
const ignored = [...Object.keys(ignoredAttributes), "schemas"];

/**
 * The target of an operation: an attribute, or those of its values that a filter matches; a field of rich info; all of
 * them; or what is ignored, read-only or unknown.
 */
export type Path =
  | {
      readonly kind: "attribute";
      readonly attribute: PatchableAttribute;
      /** Absent: all values. */
      readonly filter?: readonly Comparison[];
      /** In lower case; absent: the whole value. */
      readonly subAttribute?: string;
    }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "extension"; readonly urn: string }
  | { readonly kind: "ignored" | "read-only" | "password" | "other"; readonly text: string };

/** Longest part of a path that is repeated in an error. */
const maxQuoted = 200;

/** Directories send several changes as one PATCH, so an admin has to see which of them is refused. */
export const invalidPath = (path: string): ApiError =>
  new ApiError("scim-invalid-path", { message: `${path.slice(0, maxQuoted)}: cannot be changed by a PATCH` });

/**
 * `attribute`, `attribute[filter]`, both with `.subAttribute` (RFC 7644 §3.5.2). Each part has only one way to match, so
 * matching is linear.
 */
const attributePath = new RegExp(`^([a-z][\\w$-]*)(?:${filterPart})?(?:\\.([a-z$][\\w-]*))?$`, "i");
/** The same below the URN of an extension, or the extension as a whole. */
const extensionPath = new RegExp(
  `^urn:ietf:params:scim:schemas:extension:[\\w.:$-]+(?:${filterPart}[\\w.$-]*)?$`,
);

/**
 * Reads the path of an operation. Names of attributes may be in any case, URNs may not.
 * @throws ApiError `scim-invalid-path`, `scim-invalid-filter`
 */
export function parsePath(path: string, settings: Settings): Path {
  const extension = parseExtension(path, settings);
  if (extension !== undefined) return extension;
  const match = attributePath.exec(withoutPrefix(path, coreSchema) ?? path);
  if (match === null) throw invalidPath(path);
  const [, name = "", filter, subAttribute] = match;
  const attribute = patchable.find((known) => isSame(known, name));
  if (attribute !== undefined) {
    const isWhole = filter === undefined && subAttribute === undefined;
    if (!isWhole && !multiValued.includes(attribute)) return { kind: "other", text: path };
    return {
      kind: "attribute",
      attribute,
      ...(filter !== undefined && { filter: parseFilterPart(filter) }),
      ...(subAttribute !== undefined && { subAttribute: subAttribute.toLowerCase() }),
    };
  }
  const isAmong = (names: readonly string[]) => names.some((known) => isSame(known, name));
  if (isSame("password", name)) return { kind: "password", text: path };
  if (isAmong(readOnly)) return { kind: "read-only", text: path };
  return { kind: isAmong(ignored) ? "ignored" : "other", text: path };
}

/**
 * Any text may name a field of rich info, so whatever follows the URN of its extensions is one. Other extensions are
 * ignored. URNs that differ from these only in case are refused, because their values would be lost silently.
 */
function parseExtension(path: string, settings: Settings): Path | undefined {
  const urns = Object.values(richInfoUrns(settings));
  for (const urn of urns) {
    if (path === urn) return { kind: "extension", urn };
    const name = withoutPrefix(path, urn);
    if (name === "") throw invalidPath(path);
    if (name !== undefined) return { kind: "field", name };
  }
  if (!extensionPath.test(path)) return undefined;
  const resembles = (urn: string) => path.toLowerCase().startsWith(urn.toLowerCase());
  return { kind: urns.some(resembles) ? "other" : "ignored", text: path };
}

const isSame = (known: string, name: string) => known.toLowerCase() === name.toLowerCase();

const withoutPrefix = (path: string, urn: string) =>
  path.startsWith(`${urn}:`) ? path.slice(urn.length + 1) : undefined;
