import type * as z from "zod";
import type { StoredItem } from "#shared/platform/data/stored-item.ts";
import { tables } from "#shared/registry/tables.ts";

export type Item = Readonly<Record<string, unknown>>;

/** A user, and by what items name them. */
export interface Person {
  readonly userId: string;
  /** Their id, and their addresses, numbers and handle, as they spelled them and as they are claimed. */
  readonly names: ReadonlySet<string>;
}

/** Whether an item is the data of a person, by the declaration of its kind. */
export function isOf(
  { table, subject }: StoredItem<z.ZodType>,
  item: Item,
  { userId, names }: Person,
): boolean {
  if (!("user" in subject)) return false;
  if (subject.user === "partition") {
    const partition = String(item[tables[table].partitionKey]);
    return names.has(afterFirst(partition)) || partition.startsWith(`device#${userId}#`);
  }
  return subject.user.some((attribute) => textsOf(item[attribute]).some((text) => names.has(text)));
}

const afterFirst = (text: string) => text.slice(text.indexOf("#") + 1);

/** The texts of an attribute: a text, also what follows its last `#`, or those within a list, a set or an object. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value, value.slice(value.lastIndexOf("#") + 1)];
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  return (value instanceof Set ? [...value] : Object.values(value)).flatMap(textsOf);
}

/** Whether anything in an item names a person, also within bytes; what is encoded in a text is not found. */
export function isNamedIn(value: unknown, person: Person): boolean {
  const { names } = person;
  if (typeof value === "string") return [...names].some((name) => value.includes(name));
  if (value instanceof Uint8Array) return [...names].some((name) => Buffer.from(value).includes(name));
  if (Array.isArray(value) || value instanceof Set) return [...value].some((one) => isNamedIn(one, person));
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value)
    .flat()
    .some((one) => isNamedIn(one, person));
}
