import { BatchGetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { chunks } from "../chunks.ts";

/** Keys to read from one table. */
export interface TableKeys {
  readonly tableName: string;
  readonly keys: readonly Record<string, string>[];
}

/** Most keys that DynamoDB takes in one request. */
const maxKeys = 100;

/** Reads items of several tables, consistently and concurrently, in any order; keys without an item are left out. */
export async function batchRead(
  dynamo: DynamoDBDocumentClient,
  requests: readonly TableKeys[],
): Promise<Record<string, unknown>[]> {
  const wanted = requests.flatMap(({ tableName, keys }) => keys.map((key) => ({ tableName, key })));
  const batches = chunks(wanted, maxKeys).map((batch) => readBatch(dynamo, batch));
  return (await Promise.all(batches)).flat();
}

async function readBatch(
  dynamo: DynamoDBDocumentClient,
  batch: readonly { tableName: string; key: Record<string, string> }[],
): Promise<Record<string, unknown>[]> {
  let pending = Object.fromEntries(
    [...Map.groupBy(batch, ({ tableName }) => tableName)].map(([tableName, entries]) => [
      tableName,
      { Keys: entries.map(({ key }) => key), ConsistentRead: true },
    ]),
  );
  const items: Record<string, unknown>[] = [];
  while (Object.keys(pending).length > 0) {
    const { Responses, UnprocessedKeys } = await dynamo.send(new BatchGetCommand({ RequestItems: pending }));
    items.push(...Object.values(Responses ?? {}).flat());
    pending = (UnprocessedKeys ?? {}) as typeof pending;
  }
  return items;
}
