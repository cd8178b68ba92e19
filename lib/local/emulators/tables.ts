import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  type TableStatus,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { TableSpec } from "#shared/registry/tables.ts";
import { SetupError } from "../setup-error.ts";

/**
 * Create a table from its spec; an existing one is left as it is. Expired items are not the emulator's business:
 * `deleteExpired` removes them.
 *
 * @throws SetupError when it exists with other keys: an early version has made it, and nothing could be written to it
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
    if (!(error instanceof ResourceInUseException)) throw error;
    return checkKeys(dynamo, tableName, keys);
  }
  if (status !== "ACTIVE") {
    await waitUntilTableExists({ client: dynamo, minDelay: 1, maxWaitTime: 60 }, { TableName: tableName });
  }
}

async function checkKeys(dynamo: DynamoDBClient, tableName: string, keys: readonly string[]): Promise<void> {
  const { Table: { KeySchema = [] } = {} } = await dynamo.send(
    new DescribeTableCommand({ TableName: tableName }),
  );
  const found = KeySchema.map(({ AttributeName }) => AttributeName);
  if (found.join() === keys.join()) return;
  throw new SetupError(
    `The table ${tableName} was made by a version before 1.0.0, with the keys ${found.join(" and ")} in place of ` +
      `${keys.join(" and ")}: start that version to read it, or choose another folder with --data`,
  );
}
