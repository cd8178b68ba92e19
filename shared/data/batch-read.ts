import { BatchGetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** Keys to read from one table. */
export interface TableKeys {
  readonly tableName: string;
  readonly keys: readonly Record<string, string>[];
}

/** Up to 100 items of several tables in one consistent read; items that do not exist are left out. */
export async function batchRead(
  client: DynamoDBDocumentClient,
  requests: readonly TableKeys[],
): Promise<Record<string, unknown>[]> {
  let pending: Record<string, { Keys: Record<string, string>[]; ConsistentRead: boolean }> =
    Object.fromEntries(
      requests.map(({ tableName, keys }) => [tableName, { Keys: [...keys], ConsistentRead: true }]),
    );
  const items: Record<string, unknown>[] = [];
  while (Object.keys(pending).length > 0) {
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetCommand({ RequestItems: pending }));
    items.push(...Object.values(Responses ?? {}).flat());
    pending = (UnprocessedKeys ?? {}) as typeof pending;
  }
  return items;
}
