import { ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { allItemKinds, kindOf, nameOf } from "#lib/releases/item-kinds.ts";
import { attributesIn } from "#lib/releases/item-samples.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { withUnknownFields } from "#shared/platform/data/unknown-fields.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { stackConfig } from "./stack-config.ts";

/**
 * Attributes of stored items that this version does not know, by kind, and kinds that it does not know or cannot read. Only
 * for a test's own tables: reads them from end to end.
 */
export async function unknownAttributes(prefix: string): Promise<string[]> {
  await allItemKinds();
  const context = { dynamo: createDynamo(), config: stackConfig(prefix), clock: systemClock };
  const found = new Set<string>();
  for (const name of Object.keys(tables) as TableName[]) {
    const table = new Table(context, name);
    for await (const item of itemsOf(table)) for (const one of unknownIn(name, item)) found.add(one);
  }
  return [...found].toSorted();
}

/** The items of a table, or nothing if an older version does not have the table. */
async function* itemsOf(table: Table<TableName>) {
  let start: Awaited<ReturnType<typeof table.scanPage>>["next"];
  do {
    const page = await table.scanPage({ ExclusiveStartKey: start }).catch((error: unknown) => {
      if (error instanceof ResourceNotFoundException) return { items: [], next: undefined };
      throw error;
    });
    yield* page.items;
    start = page.next;
  } while (start !== undefined);
}

/** Kinds of which the schema does not name all attributes. */
const open: ReadonlySet<string> = new Set(["statistics/day"]);

const isMigrationState = (item: Readonly<Record<string, unknown>>) =>
  Object.values(item).some((value) => String(value).startsWith("migration"));

function unknownIn(table: TableName, item: Readonly<Record<string, unknown>>): string[] {
  const kind = kindOf(table, item);
  if (kind === undefined) return isMigrationState(item) ? [] : [`${table} has an item of no kind`];
  // Stores read single attributes of it.
  if (open.has(nameOf(kind))) return [];
  const read = kind.parseOrAbsent(item);
  if (read === undefined) return [`${nameOf(kind)} cannot be read`];
  const known = new Set(attributesIn(read));
  return attributesIn(withUnknownFields(read))
    .filter((path) => !known.has(path))
    .map((path) => `${nameOf(kind)}${path}`);
}
