import { setTimeout as delay } from "node:timers/promises";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import { tablePlans } from "../table-plans.ts";
import { additionOfIndex, toTableSchema } from "../table-schema.ts";

/** A restore cannot begin or continue; the message tells the operator why. */
export class RestoreError extends Error {
  override readonly name = "RestoreError";
}

/** A table, and its replacement. */
export interface Replacement {
  readonly table: TableName;
  readonly source: string;
  readonly target: string;
  readonly isEmpty: boolean;
}

const maxNameLength = 255;

/** The name of the table that replaces another; the same for the same time, so that a restore can continue. */
export function targetName(source: string, at: Date): string {
  const suffix = `-at-${at.toISOString().replace(/[-:]|\.\d+/g, "")}`;
  return source.replace(/-at-\d{8}T\d{6}Z$/, "").slice(0, maxNameLength - suffix.length) + suffix;
}

/**
 * @param wanted tables to restore; by default all
 * @throws RestoreError when the stage lacks one, or has been switched to it
 */
export function replacementsOf(
  names: ReadonlyMap<TableName, string>,
  at: Date,
  wanted: readonly TableName[],
): Replacement[] {
  const replacements = (Object.keys(tables) as TableName[])
    .filter((table) => tablePlans[table] !== "live" && (wanted.length === 0 || wanted.includes(table)))
    .map((table) => {
      const source = names.get(table);
      if (source === undefined) throw new RestoreError(`The stage has no table ${table}`);
      return { table, source, target: targetName(source, at), isEmpty: tablePlans[table] === "empty" };
    });
  // The rules would undo what functions have written since the switch.
  const inUse = replacements.filter(({ source, target }) => source === target).map(({ table }) => table);
  if (inUse.length > 0)
    throw new RestoreError(`The stage uses the tables of that time already: ${inUse.join(", ")}`);
  return replacements;
}

/** @throws RestoreError unless each table can be restored to that time, and compared with the live one if that is trusted */
export async function checkRecoverable(
  client: DynamoDBClient,
  replacements: readonly Replacement[],
  { at, isLiveTrusted }: { at: Date; isLiveTrusted: boolean },
): Promise<void> {
  for (const { source, target, isEmpty } of replacements) {
    if (isEmpty) continue;
    const [before, after] = await Promise.all([describe(client, source), describe(client, target)]);
    if (before === undefined) {
      if (after !== undefined && !isLiveTrusted) continue;
      throw new RestoreError(
        `The table ${source} does not exist. Restore DynamoDB's backup of it under the name ${target}, and add --distrust-live`,
      );
    }
    if (after !== undefined) continue;
    const { ContinuousBackupsDescription: { PointInTimeRecoveryDescription: recovery } = {} } =
      await client.send(new DescribeContinuousBackupsCommand({ TableName: source }));
    if (recovery?.PointInTimeRecoveryStatus !== "ENABLED")
      throw new RestoreError(`The table ${source} has no point-in-time recovery`);
    const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } = recovery;
    if (earliest === undefined || latest === undefined || at < earliest || at > latest) {
      const window = `${earliest?.toISOString()} to ${latest?.toISOString()}`;
      throw new RestoreError(`The table ${source} can be restored to times from ${window}`);
    }
  }
}

/** Start the restores that have not been started: a new table for each of the old ones. */
export async function startTables(
  client: DynamoDBClient,
  replacements: readonly Replacement[],
  at: Date,
): Promise<void> {
  for (const { table, source, target, isEmpty } of replacements) {
    if ((await describe(client, target)) !== undefined) continue;
    if (isEmpty) {
      const hasKeyOfKms = (await describe(client, source))?.SSEDescription?.Status === "ENABLED";
      await client.send(new CreateTableCommand(emptyTable(target, tables[table], hasKeyOfKms)));
    } else {
      await client.send(
        new RestoreTableToPointInTimeCommand({
          SourceTableName: source,
          TargetTableName: target,
          RestoreDateTime: at,
          BillingModeOverride: "PAY_PER_REQUEST",
        }),
      );
    }
  }
}

function emptyTable(name: string, spec: TableSpec, hasKeyOfKms: boolean): CreateTableCommandInput {
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    ...toTableSchema(spec),
    ...(hasKeyOfKms && { SSESpecification: { Enabled: true } }),
  };
}

/**
 * Wait until the new tables can be used.
 * @param report called now and then with those that cannot be used yet
 */
export async function untilActive(
  client: DynamoDBClient,
  replacements: readonly Replacement[],
  {
    pollMilliseconds = 15_000,
    maxMilliseconds = 24 * 3_600_000,
    report = () => undefined,
  }: {
    readonly pollMilliseconds?: number;
    readonly maxMilliseconds?: number;
    readonly report?: (waiting: readonly string[]) => void;
  } = {},
): Promise<void> {
  const startedAt = performance.now();
  let waiting = [...replacements];
  for (;;) {
    const states = await Promise.all(waiting.map(({ target }) => describe(client, target)));
    waiting = waiting.filter((_, index) => states[index]?.TableStatus !== "ACTIVE");
    if (waiting.length === 0) return;
    if (performance.now() - startedAt > maxMilliseconds)
      throw new RestoreError("The tables are not ready yet: run the command again later to continue");
    report(waiting.map(({ target }) => target));
    await delay(pollMilliseconds);
  }
}

/**
 * Give a new table the settings that a restore does not copy: expiry, recovery, protection and tags of the table that
 * it replaces.
 */
export async function completeTable(
  client: DynamoDBClient,
  { table, source, target }: Replacement,
): Promise<void> {
  const { timeToLive }: TableSpec = tables[table];
  const [before, after] = await Promise.all([describe(client, source), describe(client, target)]);
  if (timeToLive !== undefined) await enableExpiry(client, target, timeToLive);
  await client.send(
    new UpdateContinuousBackupsCommand({
      TableName: target,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  const isProtected = before === undefined || before.DeletionProtectionEnabled;
  if (isProtected && !after?.DeletionProtectionEnabled) {
    await client.send(new UpdateTableCommand({ TableName: target, DeletionProtectionEnabled: true }));
  }
  if (before?.TableArn === undefined || after?.TableArn === undefined) return;
  const { Tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: before.TableArn }));
  // Only CloudFormation may set its own tags.
  const own = Tags.filter(({ Key = "" }) => !Key.startsWith("aws:"));
  if (own.length > 0) await client.send(new TagResourceCommand({ ResourceArn: after.TableArn, Tags: own }));
}

/**
 * Limit the throughput of a new table like that of the table it replaces; last, because the restore itself needs
 * capacity.
 */
export async function copyMaxima(client: DynamoDBClient, { source, target }: Replacement): Promise<void> {
  const [before, after] = await Promise.all([describe(client, source), describe(client, target)]);
  const { OnDemandThroughput } = before ?? {};
  if (OnDemandThroughput === undefined || after?.OnDemandThroughput !== undefined) return;
  await client.send(new UpdateTableCommand({ TableName: target, OnDemandThroughput }));
}

/** Create the index of a new table, if the old table had none at that time. It is ready a while after the call. */
export async function addIndex(client: DynamoDBClient, { table, target }: Replacement): Promise<void> {
  const addition = additionOfIndex(tables[table], (await describe(client, target))?.GlobalSecondaryIndexes);
  if (addition !== undefined) await client.send(new UpdateTableCommand({ TableName: target, ...addition }));
}

async function enableExpiry(client: DynamoDBClient, target: string, attribute: string): Promise<void> {
  const { TimeToLiveDescription: { TimeToLiveStatus: status } = {} } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: target }),
  );
  if (status === "ENABLED" || status === "ENABLING") return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: target,
      TimeToLiveSpecification: { Enabled: true, AttributeName: attribute },
    }),
  );
}

async function describe(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
