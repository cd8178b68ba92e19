import { type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { readItem } from "#shared/platform/data/batch-read.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import type { Item } from "./item-rules.ts";

/** A table of the registry, and its name in AWS. */
export interface NamedTable {
  readonly table: TableName;
  readonly tableName: string;
}

/** All items, page by page. */
export async function* pagesOf(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
): AsyncGenerator<readonly Item[]> {
  let position: Item | undefined;
  do {
    const page = await dynamo.send(
      new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: position }),
    );
    yield page.Items ?? [];
    position = page.LastEvaluatedKey;
  } while (position !== undefined);
}

/** The key of an item, without its other fields. */
export function keyOf(table: TableName, item: Item): Record<string, string> {
  const { partitionKey, sortKey }: TableSpec = tables[table];
  return {
    [partitionKey]: String(item[partitionKey]),
    ...(sortKey !== undefined && { [sortKey]: String(item[sortKey]) }),
  };
}

/** The key of an item as text. */
export const keyText = (table: TableName, item: Item): string =>
  JSON.stringify(Object.values(keyOf(table, item)));

/** Items by their keys as text; those that do not exist are absent. The reads share requests. */
export async function readItems(
  dynamo: DynamoDBDocumentClient,
  { table, tableName }: NamedTable,
  keys: readonly Item[],
): Promise<ReadonlyMap<string, Item>> {
  const items = await Promise.all(keys.map((key) => readItem(dynamo, tableName, keyOf(table, key))));
  return new Map(
    items.flatMap((item) => (item === undefined ? [] : [[keyText(table, item), item] as const])),
  );
}
