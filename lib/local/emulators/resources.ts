import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { lateMigrations } from "#lib/releases/late-migrations.ts";
import { migrate } from "#lib/releases/migrate.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { migrations } from "#shared/registry/migrations.ts";
import { type QueueName, type QueueSpec, queues } from "#shared/registry/queues.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import { createSecrets } from "./keys.ts";
import { createQueue, type LocalQueue } from "./queues.ts";
import { createTable } from "./tables.ts";

/** The tables, buckets, queues and secrets of one stack. */
export interface Resources {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly queues: Readonly<Record<QueueName, LocalQueue>>;
  /** Secret by which the local gateway proves that a request came through it. */
  readonly entranceSecret: string;
  /** Close the SDK clients; the resources stay. */
  release(): void;
}

/** Every table of the registry, by name. */
export const tableSpecs = Object.entries(tables) as [TableName, TableSpec][];
const bucketNames = Object.keys(buckets) as BucketName[];
const queueSpecs = Object.entries(queues) as [QueueName, QueueSpec][];

/**
 * Create the missing resources of a stack, and migrate the existing ones.
 * @param nameOf name of a resource in the emulators
 */
export async function createResources({
  nameOf,
  queueEndpoint,
  nowSeconds,
}: {
  nameOf: (resource: string) => string;
  queueEndpoint: string;
  nowSeconds: number;
}): Promise<Resources> {
  const dynamodb = new DynamoDBClient();
  const sqs = new SQSClient();
  const s3 = new S3Client();
  const secretsManager = new SecretsManagerClient();
  const [created, , , { entrance }] = await Promise.all([
    Promise.all(
      queueSpecs.map(
        async ([name, spec]) => [name, await createQueue(sqs, nameOf(name), spec, queueEndpoint)] as const,
      ),
    ),
    Promise.all(tableSpecs.map(([name, spec]) => createTable(dynamodb, nameOf(name), spec))),
    Promise.all(bucketNames.map((name) => s3.send(new CreateBucketCommand({ Bucket: nameOf(name) })))),
    createSecrets(secretsManager, nameOf, nowSeconds),
  ]);
  const documents = createDynamo();
  for (const migration of [...migrations, ...lateMigrations])
    await migrate({ dynamo: documents, tableName: nameOf(migration.table), migration, itemsPerSecond: 1e6 });
  documents.destroy();
  s3.destroy();
  secretsManager.destroy();
  return {
    entranceSecret: entrance,
    dynamodb,
    sqs,
    queues: Object.fromEntries(created) as Record<QueueName, LocalQueue>,
    release() {
      dynamodb.destroy();
      sqs.destroy();
    },
  };
}
