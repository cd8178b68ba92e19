import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Config } from "#shared/platform/config.ts";
import { parseExamples } from "#shared/platform/data/stored-item.ts";
import type { FunctionAccess } from "#shared/platform/manifest.ts";
import type { TableName } from "#shared/platform/product.ts";
import { migrations } from "#shared/registry/migrations.ts";
import { type TableSpec, tables } from "#shared/registry/tables.ts";
import { MigrationNeededError, requireMigration } from "./migration-state.ts";

/** Dependencies that are slow at their first use. */
export interface WarmUpDeps {
  readonly dynamo?: DynamoDBDocumentClient;
  readonly outbox?: { warmUp(queue: "events"): Promise<void> };
  readonly entranceSecret?: (() => Promise<string>) | undefined;
  readonly verifier?: { warmUp(): Promise<void> } | undefined;
}

/** A handler that the start of its function warms up. */
export interface Warmable {
  warmUp(): Promise<void>;
}

/** How long a start waits for AWS. */
const patienceMilliseconds = 1000;

/**
 * Use everything that the first request will use: read the keys that tokens are verified with, connect to DynamoDB and
 * SQS, and build the schemas of items that are often read. Lambda gives a start more CPU than a request, and nobody
 * waits for one in advance. If something cannot be reached now, the first request will report it.
 *
 * @throws MigrationNeededError when the items of a table are not yet what the code expects
 */
export async function warmUp(
  deps: WarmUpDeps,
  { config, manifest }: { readonly config: Config; readonly manifest: FunctionAccess },
): Promise<void> {
  const [table] = Object.keys(manifest.tables ?? {}) as TableName[];
  const needed = migrations.filter((migration) => manifest.tables?.[migration.table] !== undefined);
  const calls = [
    deps.verifier?.warmUp(),
    deps.entranceSecret?.(),
    // Runs while the calls are under way.
    nextTurn().then(() => parseExamples(manifest.firstReads ?? [])),
    table && deps.dynamo?.send(new GetCommand({ TableName: config.tableName(table), Key: unusedKey(table) })),
    manifest.sends?.includes("events") && deps.outbox?.warmUp("events"),
    ...needed.map(
      (migration) =>
        deps.dynamo && requireMigration(deps.dynamo, config.tableName(migration.table), migration),
    ),
  ];
  const time = delay(patienceMilliseconds, [], { ref: false });
  for (const outcome of await Promise.race([Promise.allSettled(calls), time])) {
    if (outcome.status === "rejected" && outcome.reason instanceof MigrationNeededError) throw outcome.reason;
  }
}

/** A key that no item has. */
function unusedKey(table: TableName): Record<string, string> {
  const { partitionKey, sortKey }: TableSpec = tables[table];
  return { [partitionKey]: "warm-up", ...(sortKey !== undefined && { [sortKey]: "warm-up" }) };
}
