import { BatchGetCommand, type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { chunks } from "#shared/platform/chunks.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import type { Item } from "./item-rules.ts";

/** A table by what it holds, and by its name in AWS. */
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

/** Items by their keys as text; those that do not exist are absent. */
export async function readItems(
  dynamo: DynamoDBDocumentClient,
  { table, tableName }: NamedTable,
  keys: readonly Item[],
): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  const distinct = new Map(keys.map((key) => [keyText(table, key), keyOf(table, key)]));
  for (const batch of chunks([...distinct.values()], 100)) {
    let left: Record<string, unknown>[] = batch;
    while (left.length > 0) {
      const { Responses = {}, UnprocessedKeys = {} } = await dynamo.send(
        new BatchGetCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } } }),
      );
      for (const item of Responses[tableName] ?? []) found.set(keyText(table, item), item);
      left = UnprocessedKeys[tableName]?.Keys ?? [];
    }
  }
  return found;
}
