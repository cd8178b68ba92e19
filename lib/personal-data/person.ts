import type * as z from "zod";
import type { StoredItem } from "#shared/platform/data/stored-item.ts";
import { tables } from "#shared/registry/tables.ts";

export type Item = Readonly<Record<string, unknown>>;

/**
 * The names by which items refer to the people and teams in question: ids in lower case, and addresses, numbers and
 * handles, both as spelled and as claimed.
 */
export type Names = ReadonlySet<string>;

/** A user, and the names by which items refer to them. */
export interface Person {
  readonly userId: string;
  readonly names: Names;
}

/** Whether an item belongs to one of the named, according to the declaration of its kind. */
export function isOf({ table, subject }: StoredItem<z.ZodType>, item: Item, names: Names): boolean {
  if ("nobody" in subject) return false;
  const named = "user" in subject ? subject.user : subject.team;
  if (named === "partition") {
    const partition = String(item[tables[table].partitionKey]);
    const [, userId = ""] = /^device#([^#]+)#/.exec(partition) ?? [];
    return names.has(afterFirst(partition)) || names.has(userId);
  }
  return named.some((attribute) => textsOf(item[attribute]).some((text) => names.has(text)));
}

const afterFirst = (text: string) => text.slice(text.indexOf("#") + 1);

/** The texts of an attribute: a text, also what follows any `#` in it, or those within a list, a set or an object. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string")
    return [value, ...[...value.matchAll(/#/g)].map(({ index }) => value.slice(index + 1))];
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  return (value instanceof Set ? [...value] : Object.values(value)).flatMap(textsOf);
}

/**
 * Whether anything in an item names somebody, also within bytes: an id, address or number anywhere in a text, other
 * names alone or after the first `#`. Names in encoded texts are not found.
 */
export function isNamedIn(value: unknown, names: Names): boolean {
  if (typeof value === "string") return namesIn(value).some((name) => names.has(name));
  if (value instanceof Uint8Array) return isNamedIn(Buffer.from(value).toString(), names);
  if (Array.isArray(value) || value instanceof Set) return [...value].some((one) => isNamedIn(one, names));
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value)
    .flat()
    .some((one) => isNamedIn(one, names));
}

const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const phone = /\+[1-9]\d{7,14}/g;
const domain = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*/i;
/** Longest local part of an address (RFC 5321 §4.5.3.1.1). */
const maxLocalPart = 64;

/** Parts of a text that may be names. */
function namesIn(text: string): string[] {
  const ids = (text.match(id) ?? []).map((one) => one.toLowerCase());
  return [text, afterFirst(text), ...ids, ...(text.match(phone) ?? []), ...addressesIn(text)];
}

/** All texts before each `@` that can be a local part, with the domain after it. */
function addressesIn(text: string): string[] {
  const addresses: string[] = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const [host] = domain.exec(text.slice(at + 1, at + 256)) ?? [];
    if (host === undefined) continue;
    for (let start = Math.max(0, at - maxLocalPart); start < at; start++)
      addresses.push(`${text.slice(start, at)}@${host}`);
  }
  return addresses;
}
