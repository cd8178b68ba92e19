import { DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createTable } from "#lib/local/emulators/tables.ts";
import { tables } from "#shared/registry/tables.ts";
import { stackConfig } from "./stack-config.ts";

/** Drop what the shared stack has committed to send: the sweeper would send it again. */
export async function dropOutbox(): Promise<void> {
  const dynamo = new DynamoDBClient();
  const TableName = stackConfig("test").tableName("outbox");
  await dynamo.send(new DeleteTableCommand({ TableName }));
  await createTable(dynamo, TableName, tables.outbox);
  dynamo.destroy();
}
