import { globSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { declaredItems, type StoredItem } from "#shared/platform/data/stored-item.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";

const root = join(import.meta.dirname, "..", "..");

/** Load every kind of items that is declared, in the order of tables and kinds. */
export async function allItemKinds(): Promise<readonly StoredItem<z.ZodType>[]> {
  const files = globSync("shared/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });
  // One after the other, because Vitest may evaluate a module twice if it is imported by its path while another module
  // imports it.
  for (const file of files) await import(join(root, file));
  return declaredItems().toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

/** Name of a kind in lists of the kinds of all tables. */
export const nameOf = ({ table, kind }: Pick<StoredItem<z.ZodType>, "table" | "kind">) => `${table}/${kind}`;

/** The kind of an item, among those whose modules have been loaded. */
export function kindOf(
  table: TableName,
  item: Readonly<Record<string, unknown>>,
): StoredItem<z.ZodType> | undefined {
  const { partitionKey, sortKey = "" }: { partitionKey: string; sortKey?: string } = tables[table];
  const texts = [String(item[partitionKey]), String(item[sortKey] ?? "")];
  const candidates = declaredItems()
    .filter((kind) => kind.table === table)
    .map((kind) => ({ kind, literals: texts.map((text, index) => literalsIn(kind.key[index] ?? "*", text)) }))
    .filter(({ literals }) => !literals.includes(-1));
  const [closest] = candidates.toSorted((one, other) => sum(other.literals) - sum(one.literals));
  return closest?.kind;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Number of characters of a text that a pattern fixes; -1 if it does not match. */
function literalsIn(pattern: string, text: string): number {
  const lengths = pattern.split("|").map((one) => {
    if (!one.endsWith("*")) return one === text ? one.length + 1 : -1;
    return text.startsWith(one.slice(0, -1)) ? one.length - 1 : -1;
  });
  return Math.max(...lengths);
}

/** The shape of a stored value, in a subset of JSON Schema. */
export interface Shape {
  readonly type?: string | undefined;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly [bound: string]: unknown;
}

/** One kind of items as a release stores it. */
interface ItemSnapshot {
  readonly key: readonly string[];
  readonly shape: Shape;
}

/** Kinds of items by their names. */
export type ItemSnapshots = Readonly<Record<string, ItemSnapshot>>;

/** The shapes of all kinds of items. */
export async function snapshotItems(): Promise<ItemSnapshots> {
  const kinds = await allItemKinds();
  return Object.fromEntries(
    kinds.map((kind) => [nameOf(kind), { key: kind.key, shape: shapeOf(kind.schema) }]),
  );
}

/** Keywords to leave out: bounds that every safe integer has, and texts for readers. */
const meaningless = new Set([
  "propertyNames",
  "id",
  "description",
  "examples",
  "title",
  "pattern",
  "default",
]);

export const shapeOf = (schema: z.ZodType): Shape =>
  withoutVersion(
    z.toJSONSchema(schema, {
      io: "input",
      unrepresentable: "any",
      // A list of positional entries.
      metadata: z.registry(),
      override: ({ zodSchema, jsonSchema }) => {
        const { type } = zodSchema._zod.def;
        if (type === "set") jsonSchema.type = "set" as never;
        if (type === "custom") jsonSchema.type = "bytes" as never;
        for (const [name, value] of Object.entries(jsonSchema)) {
          if (meaningless.has(name) || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)
            Reflect.deleteProperty(jsonSchema, name);
        }
      },
    }),
  );

const withoutVersion = ({ $schema: _, ...shape }: object & { $schema?: unknown }): Shape => shape;
