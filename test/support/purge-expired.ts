import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { deleteExpired } from "#lib/local/emulators/expiry-sweeper.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import type { OwnStack } from "./own-stack.ts";

/** Delete what has expired by the clock of a stack, which would take up to a minute otherwise, and up to days on AWS. */
export async function purgeExpired({
  clock,
  tableName,
}: Pick<OwnStack, "clock" | "tableName">): Promise<void> {
  const dynamo = new DynamoDBClient();
  for (const name of Object.keys(tables) as TableName[])
    await deleteExpired(dynamo, tableName(name), tables[name], toSeconds(clock()));
}
