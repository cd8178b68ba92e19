import { BatchGetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { chunks } from "../chunks.ts";
import { jitter } from "./conditions.ts";

/** Keys to read from one table. */
export interface TableKeys {
  readonly tableName: string;
  readonly keys: readonly Record<string, string>[];
}

/** Most keys that DynamoDB takes in one request. */
const maxKeys = 100;
/** Attempts at one request: answers of up to 16 MB take three for the largest items. */
const maxAttempts = 10;

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
  for (let attempt = 1; ; attempt++) {
    const { Responses, UnprocessedKeys } = await dynamo.send(new BatchGetCommand({ RequestItems: pending }));
    items.push(...Object.values(Responses ?? {}).flat());
    pending = (UnprocessedKeys ?? {}) as typeof pending;
    if (Object.keys(pending).length === 0) return items;
    // A large answer is cut off, too, and then all attempts get on.
    if (attempt === maxAttempts) throw new Error("DynamoDB leaves keys unread: it is throttled");
    await jitter(attempt);
  }
}
