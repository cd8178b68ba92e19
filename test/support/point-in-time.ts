import { DescribeTableCommand, ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, type DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { type AwsCall, awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { createTable } from "#lib/local/emulators/tables.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";

type Items = readonly Record<string, unknown>[];

/** The content of tables at a time, by name. */
export type Snapshot = ReadonlyMap<string, Items>;

/**
 * Stands for what the emulator of DynamoDB lacks: point-in-time recovery and tags. The only point in time that it knows is
 * that of the snapshot. As at AWS, a restore takes only times in the window, creates a table that nothing can use until
 * it is active, and copies neither expiry nor recovery, protection or tags.
 */
export interface PointInTime {
  /** Settings that were requested for new tables: action and table. */
  readonly calls: readonly string[];
  end(): void;
}

/** Keep what tables hold now. */
export async function takeSnapshot(tableNames: Iterable<string>): Promise<Snapshot> {
  const dynamo = createDynamo();
  const kept = new Map<string, Items>();
  for (const name of tableNames) kept.set(name, await itemsOf(dynamo, name));
  return kept;
}

const windowMilliseconds = 35 * 86_400_000;
/** How often a restored table is described before it is active. */
const describedWhileCreating = 2;

const refusal = (name: string, message: string) =>
  awsAnswer(400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message });

/** Answer the calls of this thread that restore what a snapshot has. */
export function answerRestores(kept: Snapshot): PointInTime {
  const dynamo = createDynamo();
  const calls: string[] = [];
  /** Tables that are being restored, and how often they will be described before they are active. */
  const creating = new Map<string, number>();
  const expiring = new Map<string, string>();

  async function startRestore(source: string, target: string, seconds: number | undefined) {
    const latest = Date.now();
    const at = (seconds ?? Number.NaN) * 1000;
    if (!(at >= latest - windowMilliseconds && at <= latest))
      return refusal("InvalidRestoreTimeException", `The time is outside the window of ${source}`);
    const items = kept.get(source);
    if (items === undefined) return refusal("TableNotFoundException", source);
    if (await exists(dynamo, target)) return refusal("TableAlreadyExistsException", target);
    await restoreTable(dynamo, source, target, items);
    creating.set(target, describedWhileCreating);
    return awsAnswer(200, { TableDescription: { TableName: target, TableStatus: "CREATING" } });
  }

  /** What a table answers that is not active yet; undefined where the call does not depend on it. */
  function answerWhileCreating({ action, body }: AwsCall) {
    for (const [table, times] of creating) {
      if (!body.includes(`"${table}"`) && !body.includes(`/${table}"`)) continue;
      if (action !== "DescribeTable") return refusal("ResourceInUseException", `${table} is being created`);
      if (times === 0) creating.delete(table);
      else creating.set(table, times - 1);
      if (times > 0) return awsAnswer(200, { Table: { TableName: table, TableStatus: "CREATING" } });
    }
    return undefined;
  }

  function setExpiry(table: string, attribute: string) {
    if (expiring.has(table)) return refusal("ValidationException", "TimeToLive is already enabled");
    expiring.set(table, attribute);
    return awsAnswer(200, { TimeToLiveSpecification: { Enabled: true, AttributeName: attribute } });
  }

  async function answer({ action, body }: AwsCall) {
    const input = JSON.parse(body);
    const table = input.TargetTableName ?? input.TableName ?? input.ResourceArn;
    calls.push(`${action} ${table}`);
    switch (action) {
      case "RestoreTableToPointInTime":
        return startRestore(input.SourceTableName, table, input.RestoreDateTime);
      case "DescribeContinuousBackups":
        return awsAnswer(200, {
          ContinuousBackupsDescription: {
            ContinuousBackupsStatus: "ENABLED",
            PointInTimeRecoveryDescription: {
              PointInTimeRecoveryStatus: "ENABLED",
              EarliestRestorableDateTime: (Date.now() - windowMilliseconds) / 1000,
              LatestRestorableDateTime: Date.now() / 1000,
            },
          },
        });
      case "ListTagsOfResource":
        return awsAnswer(200, {
          Tags: [
            { Key: "cost", Value: "parley" },
            { Key: "aws:cloudformation:x", Value: "y" },
          ],
        });
      case "TagResource":
        return input.Tags.some(({ Key }: { Key: string }) => Key.startsWith("aws:"))
          ? refusal("ValidationException", "The prefix aws: is reserved")
          : awsAnswer(200, {});
      case "DescribeTimeToLive":
        return awsAnswer(200, {
          TimeToLiveDescription: { TimeToLiveStatus: expiring.has(table) ? "ENABLED" : "DISABLED" },
        });
      case "UpdateTimeToLive":
        return setExpiry(table, input.TimeToLiveSpecification.AttributeName);
      default:
        return awsAnswer(200, {});
    }
  }

  const actions = [
    "RestoreTableToPointInTime",
    "DescribeContinuousBackups",
    "UpdateContinuousBackups",
    "ListTagsOfResource",
    "TagResource",
    "DescribeTimeToLive",
    "UpdateTimeToLive",
  ];
  const end = interceptAwsCalls(async (call, send) => {
    if (call.service !== "dynamodb") return send();
    const early = answerWhileCreating(call);
    if (early !== undefined) return early;
    return actions.includes(call.action) ? answer(call) : send();
  });
  return { calls, end };
}

async function exists(dynamo: DynamoDBDocumentClient, TableName: string): Promise<boolean> {
  try {
    await dynamo.send(new DescribeTableCommand({ TableName }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}

async function itemsOf(client: DynamoDBDocumentClient, TableName: string): Promise<Items> {
  const items: Record<string, unknown>[] = [];
  for await (const page of paginateScan({ client }, { TableName })) items.push(...(page.Items ?? []));
  return items;
}

async function restoreTable(
  dynamo: DynamoDBDocumentClient,
  source: string,
  target: string,
  items: Items,
): Promise<void> {
  const { Table } = await dynamo.send(new DescribeTableCommand({ TableName: source }));
  const [partitionKey = "", sortKey] = (Table?.KeySchema ?? []).map(
    ({ AttributeName = "" }) => AttributeName,
  );
  await createTable(dynamo, target, { partitionKey, ...(sortKey !== undefined && { sortKey }) });
  for (const batch of chunks([...items], 25)) {
    const requests = batch.map((Item) => ({ PutRequest: { Item } }));
    await dynamo.send(new BatchWriteCommand({ RequestItems: { [target]: requests } }));
  }
}
