import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  type TableStatus,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { TableSpec } from "#shared/registry/tables.ts";

/**
 * Create a table from its spec; an existing one is left as it is. Expired items are not the emulator's business:
 * `deleteExpired` removes them.
 */
export async function createTable(dynamo: DynamoDBClient, tableName: string, spec: TableSpec): Promise<void> {
  const keys = [spec.partitionKey, ...(spec.sortKey === undefined ? [] : [spec.sortKey])];
  let status: TableStatus | undefined;
  try {
    const { TableDescription } = await dynamo.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: keys.map((name) => ({ AttributeName: name, AttributeType: "S" })),
        KeySchema: keys.map((name, index) => ({
          AttributeName: name,
          KeyType: index === 0 ? "HASH" : "RANGE",
        })),
      }),
    );
    status = TableDescription?.TableStatus;
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  if (status !== "ACTIVE") {
    await waitUntilTableExists({ client: dynamo, minDelay: 1, maxWaitTime: 60 }, { TableName: tableName });
  }
}
