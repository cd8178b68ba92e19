import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
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
 * that of the snapshot.
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

/** Answer the calls of this thread that restore what a snapshot has. */
export function answerRestores(kept: Snapshot): PointInTime {
  const dynamo = createDynamo();
  const calls: string[] = [];

  async function answer({ action, body }: AwsCall) {
    const input = JSON.parse(body);
    const table = input.TargetTableName ?? input.TableName ?? input.ResourceArn;
    calls.push(`${action} ${table}`);
    switch (action) {
      case "RestoreTableToPointInTime":
        await restoreTable(dynamo, input.SourceTableName, table, kept.get(input.SourceTableName) ?? []);
        return awsAnswer(200, { TableDescription: { TableName: table, TableStatus: "CREATING" } });
      case "DescribeContinuousBackups":
        return awsAnswer(200, {
          ContinuousBackupsDescription: {
            ContinuousBackupsStatus: "ENABLED",
            PointInTimeRecoveryDescription: {
              PointInTimeRecoveryStatus: "ENABLED",
              EarliestRestorableDateTime: Date.now() / 1000 - 35 * 86_400,
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
  const end = interceptAwsCalls((call, send) =>
    call.service === "dynamodb" && actions.includes(call.action) ? answer(call) : send(),
  );
  return { calls, end };
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
