import { normalizeRichInfo, type RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { foldCase } from "#shared/platform/fold-case.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

type Field = RichInfo["fields"][number];
type Json = Readonly<Record<string, unknown>>;

/**
 * The two extensions of the User resource that carry rich info: as an object from names to values, and as a list, which
 * has an order.
 */
export const richInfoUrns = ({ vendor }: Pick<Settings, "vendor">) => ({
  map: `urn:ietf:params:scim:schemas:extension:${vendor}:1.0:User`,
  list: `urn:${vendor}:scim:schemas:profile:1.0`,
});

/**
 * Reads rich info from a User resource with none, one or both of the extensions. A field in both has the object's value
 * and the list's place; the other fields of the object follow in alphabetical order.
 *
 * @throws ApiError `scim-invalid-value`, `rich-info-too-large`
 */
export function parseRichInfo(user: Json, settings: Settings): RichInfo {
  const urns = richInfoUrns(settings);
  const fields = merge(readList(user[urns.list], urns.list), readMap(user[urns.map], urns.map));
  return normalizeRichInfo({ version: 0, fields }, settings);
}

/** Shows rich info in both extensions, even when it is empty. */
export function richInfoView(info: RichInfo | undefined, settings: Settings): Json {
  const urns = richInfoUrns(settings);
  const fields = info?.fields ?? [];
  return {
    [urns.map]: Object.fromEntries(fields.map(({ type, value }) => [type, value])),
    [urns.list]: { richInfo: { version: 0, fields } },
  };
}

/**
 * Sets and removes fields in order: a field takes the place of the one with its name, or the last place. Without a
 * value, it is removed.
 *
 * @throws ApiError `rich-info-too-large` by what remains in the end
 */
export function withFields(
  info: RichInfo | undefined,
  changes: readonly { readonly name: string; readonly value: string | undefined }[],
  settings: Settings,
): RichInfo {
  const fields = new Map(info?.fields.map((field) => [foldCase(field.type), field]));
  for (const { name, value = "" } of changes) {
    if (value === "") fields.delete(foldCase(name));
    else fields.set(foldCase(name), { type: name, value });
  }
  return normalizeRichInfo({ version: info?.version ?? 0, fields: [...fields.values()] }, settings);
}

/** Overrides fields of a list: each takes the place of the field with its name, or the last place. */
function merge(list: readonly Field[], overriding: readonly Field[]): Field[] {
  const merged = new Map<string, Field>();
  for (const field of list) if (!merged.has(foldCase(field.type))) merged.set(foldCase(field.type), field);
  for (const field of overriding) merged.set(foldCase(field.type), field);
  return [...merged.values()];
}

function readMap(carrier: unknown, urn: string): Field[] {
  if (isAbsent(carrier)) return [];
  const fields = Object.entries(objectAt(urn, carrier)).flatMap(([type, value]) =>
    isAbsent(value) || isListOfSchemas(type, value)
      ? []
      : [{ type, value: textAt(`each field of ${urn}`, value) }],
  );
  return fields.toSorted((one, other) => compare(foldCase(one.type), foldCase(other.type)));
}

/** Some libraries for SCIM send an extension as if it were a resource. */
export const isListOfSchemas = (type: string, value: unknown): boolean =>
  type === "schemas" && Array.isArray(value);

const compare = (one: string, other: string) => Number(one > other) - Number(one < other);

/** The list has the form `{version, fields}`, or only `fields` from older directories. */
function readList(carrier: unknown, urn: string): Field[] {
  if (isAbsent(carrier)) return [];
  const place = `${urn}:richInfo`;
  const content = attributeOf(objectAt(urn, carrier), "richInfo");
  if (Array.isArray(content)) return content.map((item) => readField(item, place));
  const versioned = objectAt(place, content);
  if ((attributeOf(versioned, "version") ?? 0) !== 0) throw invalid(`${place}.version`, "0");
  const listed = attributeOf(versioned, "fields") ?? [];
  if (!Array.isArray(listed)) throw invalid(`${place}.fields`, "a list");
  const fields = listed.map((item) => readField(item, `${place}.fields`));
  if (new Set(fields.map(({ type }) => foldCase(type))).size !== fields.length)
    throw invalid(`${place}.fields`, "a list with each type only once");
  return fields;
}

function readField(item: unknown, place: string): Field {
  const field = objectAt(place, item);
  return {
    type: textAt(`${place}.type`, attributeOf(field, "type")),
    value: textAt(`${place}.value`, attributeOf(field, "value") ?? ""),
  };
}

/** Attribute names are compared ignoring case (RFC 7643 §2.1), and null counts as absent (§2.5). */
function attributeOf(object: Json, name: string): unknown {
  const found = Object.entries(object).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return found?.[1] ?? undefined;
}

const isAbsent = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

function objectAt(place: string, value: unknown): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(place, "an object");
  return value as Json;
}

function textAt(place: string, value: unknown): string {
  if (typeof value !== "string") throw invalid(place, "a text");
  return value;
}

const invalid = (place: string, expected: string) =>
  new ApiError("scim-invalid-value", { message: `${place}: must be ${expected}` });
