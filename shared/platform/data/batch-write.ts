import { BatchWriteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { chunks } from "../chunks.ts";
import { jitter } from "./conditions.ts";

type Request = NonNullable<NonNullable<BatchWriteCommand["input"]["RequestItems"]>[string]>[number];

/** Maximum number of items that DynamoDB writes in one request. */
const maxItems = 25;

/** Maximum number of requests of a write at once: waiting for an answer or a free socket counts towards a call's time. */
const maxRequestsAtOnce = 64;

/** Delete items by distinct keys, in any order and not atomically; keys without an item are ignored. */
export const batchDelete = (
  dynamo: DynamoDBDocumentClient,
  {
    tableName,
    keys,
  }: { readonly tableName: string; readonly keys: readonly Readonly<Record<string, string>>[] },
): Promise<void> =>
  batchWrite(
    dynamo,
    tableName,
    keys.map((Key) => ({ DeleteRequest: { Key } })),
  );

/** Put items with distinct keys, in any order and not atomically. */
export const batchPut = (
  dynamo: DynamoDBDocumentClient,
  { tableName, items }: { readonly tableName: string; readonly items: readonly Record<string, unknown>[] },
): Promise<void> =>
  batchWrite(
    dynamo,
    tableName,
    items.map((Item) => ({ PutRequest: { Item } })),
  );

async function batchWrite(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  requests: readonly Request[],
): Promise<void> {
  const limit = pLimit(maxRequestsAtOnce);
  await limit.map(chunks(requests, maxItems), (batch) => writeBatch(dynamo, { [tableName]: batch }));
}

async function writeBatch(
  dynamo: DynamoDBDocumentClient,
  requests: Record<string, Request[]>,
): Promise<void> {
  let pending: NonNullable<BatchWriteCommand["input"]["RequestItems"]> = requests;
  for (let attempt = 1; ; attempt++) {
    const { UnprocessedItems = {} } = await dynamo.send(new BatchWriteCommand({ RequestItems: pending }));
    if (Object.keys(UnprocessedItems).length === 0) return;
    pending = UnprocessedItems;
    await jitter(attempt);
  }
}
