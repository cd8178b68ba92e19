import { ApiError } from "#shared/platform/http/api-error.ts";
import { richInfoUrns } from "#shared/provisioning/scim-rich-info.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { coreSchema } from "../schemas.ts";

/** The attributes that a PATCH may change. */
const patchable = ["userName", "displayName", "externalId", "active", "roles"] as const;
export type PatchableAttribute = (typeof patchable)[number];

/** The target of an operation: one of these attributes, another one or a part of one, or a field of rich info. */
export type Path =
  | { readonly kind: "attribute"; readonly attribute: PatchableAttribute }
  | { readonly kind: "other"; readonly text: string }
  | { readonly kind: "field"; readonly name: string };

/** Longest part of a path that is repeated in an error. */
const maxQuoted = 200;

/** Directories send several changes as one PATCH, so an admin has to see which of them is refused. */
export const invalidPath = (path: string): ApiError =>
  new ApiError("scim-invalid-path", { message: `${path.slice(0, maxQuoted)}: cannot be changed by a PATCH` });

/**
 * `attribute`, `attribute[filter]`, both with `.subAttribute` (RFC 7644 §3.5.2). The content of a filter does not
 * matter, because no attribute with several values can be changed in part. Each part has only one way to match, so
 * matching is linear.
 */
const attributePath = /^([a-z][\w$-]*)(\[(?:[^"\]]|"(?:[^"\\]|\\.)*")+\])?(\.[a-z$][\w-]*)?$/i;

/**
 * Reads the path of an operation. Names of attributes may be in any case, URNs may not.
 * @throws ApiError `scim-invalid-path`
 */
export function parsePath(path: string, settings: Settings): Path {
  const field = fieldOf(path, settings);
  if (field !== undefined) return { kind: "field", name: field };
  const match = attributePath.exec(withoutPrefix(path, coreSchema) ?? path);
  if (match === null) throw invalidPath(path);
  const [, name, filter, subAttribute] = match;
  const attribute = patchable.find((known) => known.toLowerCase() === name?.toLowerCase());
  const isWhole = filter === undefined && subAttribute === undefined;
  return attribute !== undefined && isWhole
    ? { kind: "attribute", attribute }
    : { kind: "other", text: path };
}

/** A field may have any name, so whatever follows the URN of an extension is one. */
function fieldOf(path: string, settings: Settings): string | undefined {
  const { map, list } = richInfoUrns(settings);
  const name = withoutPrefix(path, map) ?? withoutPrefix(path, list);
  if (name === "") throw invalidPath(path);
  return name;
}

const withoutPrefix = (path: string, urn: string) =>
  path.startsWith(`${urn}:`) ? path.slice(urn.length + 1) : undefined;
