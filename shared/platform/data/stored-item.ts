import * as z from "zod";
import type { TableName } from "../product.ts";
import type { Subject } from "./subject.ts";
import { dropUnknown, setAside } from "./unknown-fields.ts";
import { UnreadableItemError, unreadableItems } from "./unreadable-item.ts";

/** Where items of a kind are, and what distinguishes them there. */
export interface ItemPlace {
  readonly table: TableName;
  /** Unique in its table. */
  readonly kind: string;
  /** Partition key and sort key, if the table has one: `*` stands for any text. */
  readonly key: readonly [partition: string] | readonly [partition: string, sort: string];
}

/** A kind of items: where they are, and whose data. */
interface ItemDeclaration extends ItemPlace {
  readonly subject: Subject;
}

/**
 * Attributes of items that a changed item does not take over from the read one: keys, also of indexes, times of expiry,
 * which each write sets, and those that `Table` maintains.
 */
const bookkeeping: ReadonlySet<string> = new Set(
  `address assetKey bucket codeKey entry lane list messageId owner part pk position reference sk stream
  listedIn listedAt expiresAtSeconds purgeAtSeconds isTaken writeId`.split(/\s+/),
);

/**
 * The schema of a stored object: of an item, of a message that workers send on, or of an object within one. Fields that it
 * does not name are kept when the object is changed by a spread and stored or sent again; see `unknown-fields.ts`.
 */
export const storedObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape).transform((value) => setAside(value, shape)) as unknown as z.ZodPipe<
    z.ZodObject<Shape>,
    z.ZodTransform<z.output<z.ZodObject<Shape>>, z.output<z.ZodObject<Shape>>>
  >;

/** One kind of items: where they are, and how they are read. */
export class StoredItem<Schema extends z.ZodType> implements ItemDeclaration {
  readonly table: TableName;
  readonly kind: string;
  readonly key: ItemPlace["key"];
  readonly subject: Subject;
  readonly schema: Schema;
  /** Example of a kind that first requests often read, according to manifests. */
  readonly example: z.input<Schema> | undefined;

  constructor({ table, kind, key, subject }: ItemDeclaration, schema: Schema, example?: z.input<Schema>) {
    this.table = table;
    this.kind = kind;
    this.key = key;
    this.subject = subject;
    this.schema = schema;
    this.example = example;
  }

  /** @throws UnreadableItemError */
  parse(item: unknown): z.output<Schema> {
    const { success, data, error } = this.schema.safeParse(item);
    if (success) return dropUnknown(data, bookkeeping);
    const unreadable = new UnreadableItemError(this, [
      ...new Set(error.issues.map(({ path: [field] }) => String(field))),
    ]);
    unreadableItems.publish(unreadable);
    throw unreadable;
  }

  /** @returns undefined for an unreadable item, where that does no harm */
  parseOrAbsent(item: unknown): z.output<Schema> | undefined {
    try {
      return this.parse(item);
    } catch (error) {
      if (error instanceof UnreadableItemError) return undefined;
      throw error;
    }
  }
}

/** The type of an item of a kind after reading. */
export type Stored<Kind extends StoredItem<z.ZodType>> = z.output<Kind["schema"]>;

const declared: StoredItem<z.ZodType>[] = [];

/** Every kind of items of which the module has been loaded; in a bundle, perhaps only those that are used. */
export const declaredItems = (): readonly StoredItem<z.ZodType>[] => declared;

/** Parse the examples of kinds. @param names with their tables: `accounts/account` */
export function parseExamples(names: readonly string[]): void {
  for (const kind of declared) if (names.includes(`${kind.table}/${kind.kind}`)) kind.parse(kind.example);
}

/**
 * Declare a kind of items.
 * @param example item that functions parse at their start if their first requests read such items, so that the schema
 * is already compiled
 */
export function storedItem<Schema extends z.ZodType>(
  declaration: ItemDeclaration,
  schema: Schema,
  example?: z.input<Schema>,
): StoredItem<Schema> {
  const kind = new StoredItem(declaration, schema, example);
  declared.push(kind);
  return kind;
}

/** Declare a kind of items of which stores read only single attributes, or only the existence. */
export const declareItem = (declaration: ItemDeclaration, schema: z.ZodType): void => {
  storedItem(declaration, schema);
};
