import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Migration } from "#shared/registry/migrations.ts";
import { type TableSpec, tables } from "#shared/registry/tables.ts";

/** Key of the item with the progress of a migration, in the table that it changes. */
export function migrationKey({ id, table }: Pick<Migration, "id" | "table">): Record<string, string> {
  const { partitionKey, sortKey }: TableSpec = tables[table];
  return { [partitionKey]: `migration#${id}`, ...(sortKey !== undefined && { [sortKey]: "state" }) };
}

/** A migration that the code needs has not been run. */
export class MigrationNeededError extends Error {
  override readonly name = "MigrationNeededError";
}

/** @throws MigrationNeededError unless the migration has been run on its table */
export async function requireMigration(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  migration: Migration,
): Promise<void> {
  const { Item: state } = await dynamo.send(
    new GetCommand({ TableName: tableName, Key: migrationKey(migration) }),
  );
  if (state?.isDone === true) return;
  throw new MigrationNeededError(
    `This version needs migration ${migration.id} (${migration.summary}) of the table ${tableName}: run ` +
      "`npm run migrate -- --stage NAME`, or deploy the version before it again",
  );
}
