import { BatchWriteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { chunks } from "../chunks.ts";
import type { TableKeys } from "./batch-read.ts";
import { jitter } from "./conditions.ts";

/** Items that DynamoDB deletes in one request. */
const maxKeys = 25;

/** Delete items by distinct keys, in any order and not all or nothing; those that do not exist are no error. */
export async function batchDelete(
  client: DynamoDBDocumentClient,
  { tableName, keys }: TableKeys,
): Promise<void> {
  await Promise.all(chunks(keys, maxKeys).map((batch) => deleteBatch(client, tableName, batch)));
}

async function deleteBatch(
  client: DynamoDBDocumentClient,
  tableName: string,
  keys: TableKeys["keys"],
): Promise<void> {
  let pending: NonNullable<BatchWriteCommand["input"]["RequestItems"]> = {
    [tableName]: keys.map((Key) => ({ DeleteRequest: { Key } })),
  };
  for (let attempt = 1; ; attempt++) {
    const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems: pending }));
    if (Object.keys(UnprocessedItems).length === 0) return;
    pending = UnprocessedItems;
    await jitter(attempt);
  }
}
