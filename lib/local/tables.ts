import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { TableSpec } from "#shared/data/tables.ts";

/** Create a table as its spec asks; one that exists is left as it is. */
export async function createTable(client: DynamoDBClient, tableName: string, spec: TableSpec): Promise<void> {
  const keys = [spec.partitionKey, ...(spec.sortKey === undefined ? [] : [spec.sortKey])];
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: keys.map((name) => ({ AttributeName: name, AttributeType: "S" })),
        KeySchema: keys.map((name, position) => ({
          AttributeName: name,
          KeyType: position === 0 ? "HASH" : "RANGE",
        })),
      }),
    );
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 60 }, { TableName: tableName });
  if (spec.timeToLive === undefined) return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: tableName,
      TimeToLiveSpecification: { AttributeName: spec.timeToLive, Enabled: true },
    }),
  );
}
