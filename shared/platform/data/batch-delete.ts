import { BatchWriteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { chunks } from "../chunks.ts";
import type { TableKeys } from "./batch-read.ts";
import { jitter } from "./conditions.ts";

/** Most items that DynamoDB deletes in one request. */
const maxKeys = 25;

/** Delete items by distinct keys, in any order and not atomically; keys without an item are ignored. */
export async function batchDelete(
  dynamo: DynamoDBDocumentClient,
  { tableName, keys }: TableKeys,
): Promise<void> {
  await Promise.all(chunks(keys, maxKeys).map((batch) => deleteBatch(dynamo, tableName, batch)));
}

async function deleteBatch(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  keys: TableKeys["keys"],
): Promise<void> {
  let pending: NonNullable<BatchWriteCommand["input"]["RequestItems"]> = {
    [tableName]: keys.map((Key) => ({ DeleteRequest: { Key } })),
  };
  for (let attempt = 1; ; attempt++) {
    const { UnprocessedItems = {} } = await dynamo.send(new BatchWriteCommand({ RequestItems: pending }));
    if (Object.keys(UnprocessedItems).length === 0) return;
    pending = UnprocessedItems;
    await jitter(attempt);
  }
}
