import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  type TableStatus,
  UpdateTableCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { additionOfIndex, toTableSchema } from "#lib/table-schema.ts";
import type { TableSpec } from "#shared/registry/tables.ts";
import { SetupError } from "../setup-error.ts";

/**
 * Create a table from its spec; an existing one gets the index that it lacks. The emulator does not remove expired
 * items; `deleteExpired` does.
 *
 * @throws SetupError when it exists with other keys, because an early version created it; nothing could be written to
 * it
 */
export async function createTable(dynamo: DynamoDBClient, tableName: string, spec: TableSpec): Promise<void> {
  let status: TableStatus | undefined;
  try {
    const { TableDescription } = await dynamo.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: "PAY_PER_REQUEST",
        ...toTableSchema(spec),
      }),
    );
    status = TableDescription?.TableStatus;
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    return completeTable(dynamo, tableName, spec);
  }
  if (status !== "ACTIVE") {
    await waitUntilTableExists({ client: dynamo, minDelay: 1, maxWaitTime: 60 }, { TableName: tableName });
  }
}

async function completeTable(dynamo: DynamoDBClient, tableName: string, spec: TableSpec): Promise<void> {
  const keys = [spec.partitionKey, ...(spec.sortKey === undefined ? [] : [spec.sortKey])];
  const { Table: { KeySchema = [], GlobalSecondaryIndexes } = {} } = await dynamo.send(
    new DescribeTableCommand({ TableName: tableName }),
  );
  const found = KeySchema.map(({ AttributeName }) => AttributeName);
  if (found.join() !== keys.join())
    throw new SetupError(
      `The table ${tableName} was made by a version before 1.0.0, with the keys ${found.join(" and ")} in place of ` +
        `${keys.join(" and ")}: start that version to read it, or choose another folder with --data`,
    );
  const addition = additionOfIndex(spec, GlobalSecondaryIndexes);
  if (addition !== undefined)
    await dynamo.send(new UpdateTableCommand({ TableName: tableName, ...addition }));
}
