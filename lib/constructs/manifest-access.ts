import { Aws, Validations } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { IConstruct } from "constructs";
import { type EntranceSecret, variables } from "#shared/platform/config.ts";
import {
  type Access,
  type BucketAccess,
  type FunctionAccess,
  isBehindEntrance,
  type TableAccess,
} from "#shared/platform/manifest.ts";
import type { BucketName } from "#shared/registry/buckets.ts";
import type { QueueName } from "#shared/registry/queues.ts";
import type { SecretName } from "#shared/registry/secrets.ts";
import { endpointPrefixOf } from "#shared/registry/settings/push.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import type { Stage } from "../stage.ts";
import type { ObjectBucket } from "./object-bucket.ts";
import type { RelayQueues } from "./relay-queues.ts";
import type { SocketAccess } from "./socket-access.ts";
import type { WorkerQueue } from "./worker-queue.ts";

/** All resources that a manifest can name. */
export interface Resources {
  readonly tables: Readonly<Record<TableName, ITable>>;
  readonly buckets: Readonly<Record<BucketName, ObjectBucket>>;
  readonly queues: Readonly<Record<QueueName, WorkerQueue>>;
  readonly secrets: Readonly<Record<SecretName, ISecret>>;
  /** Whether API Gateway or relays hold sockets, or both during a migration. */
  readonly socketApi: SocketAccess | undefined;
  readonly relayQueues: RelayQueues | undefined;
  /** The secret by which the distribution proves that a request came through it. */
  readonly entranceSecret: ISecret | undefined;
}

const readActions = [
  "dynamodb:GetItem",
  "dynamodb:BatchGetItem",
  "dynamodb:Query",
  "dynamodb:ConditionCheckItem",
];
// Inserts many items in one call, each under the condition that its key is free.
const insertActions = [...readActions, "dynamodb:PartiQLInsert"];
const tableActions: Readonly<Record<TableAccess, string[]>> = {
  record: ["dynamodb:PutItem", "dynamodb:UpdateItem"],
  read: readActions,
  insert: insertActions,
  write: [
    ...insertActions,
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    // Reads several items in one call.
    "dynamodb:PartiQLUpdate",
    "dynamodb:DeleteItem",
    "dynamodb:BatchWriteItem",
  ],
  count: ["dynamodb:UpdateItem"],
};

const objectActions: Readonly<Record<Exclude<BucketAccess, "list">, readonly string[]>> = {
  read: ["s3:GetObject"],
  write: ["s3:PutObject"],
  parts: ["s3:ListMultipartUploadParts"],
  delete: ["s3:DeleteObject", "s3:AbortMultipartUpload"],
};

const endpointActions: Readonly<Record<NonNullable<Access["pushes"]>[number], readonly string[]>> = {
  register: ["sns:SetEndpointAttributes"],
  release: ["sns:GetEndpointAttributes", "sns:DeleteEndpoint"],
  wake: ["sns:Publish"],
};

function indexOf(name: TableName): string {
  const { index }: TableSpec = tables[name];
  if (index === undefined) throw new Error(`The table ${name} has no index`);
  return index.name;
}

/** The construct that runs the code of a manifest: a Lambda function, or a service with tasks. */
export interface CodeRunner {
  /** Construct that contains the role; security findings about grants are acknowledged on it. */
  readonly scope: IConstruct;
  setVariable(name: string, value: string): void;
  allow(statement: PolicyStatement): void;
}

interface GrantOptions {
  readonly manifest: FunctionAccess;
  readonly resources: Resources;
  readonly stage: Stage;
}

/** Gives a function or service exactly the access that its manifest asks for: the variable and the grant together. */
export class AccessGrants {
  readonly #runner: CodeRunner;

  constructor(runner: CodeRunner) {
    this.#runner = runner;
  }

  grant({ manifest, resources, stage }: GrantOptions): void {
    for (const [name, access] of Object.entries(manifest.tables ?? {}) as [TableName, TableAccess][]) {
      const table = resources.tables[name];
      this.#runner.setVariable(variables.table(name), table.tableName);
      this.#allow(tableActions[access], table.tableArn);
    }
    for (const name of manifest.scans ?? []) this.#allow(["dynamodb:Scan"], resources.tables[name].tableArn);
    for (const name of manifest.lists ?? [])
      this.#allow(["dynamodb:Query"], `${resources.tables[name].tableArn}/index/${indexOf(name)}`);
    for (const [name, access] of Object.entries(manifest.buckets ?? {}) as [BucketName, BucketAccess[]][]) {
      const bucket = resources.buckets[name];
      this.#runner.setVariable(variables.bucket(name), bucket.nameElsewhere);
      this.#allow(
        access.filter((one) => one !== "list").flatMap((one) => objectActions[one]),
        bucket.objectsElsewhere,
      );
      if (access.includes("list")) this.#allow(["s3:ListBucket"], bucket.arnElsewhere);
      this.#acknowledgeWildcard(
        bucket.objectsFinding,
        "Objects have no fixed names; the bucket is the smallest set of them.",
      );
    }
    for (const name of manifest.sends ?? []) {
      const { queue } = resources.queues[name];
      this.#runner.setVariable(variables.queue(name), queue.queueUrl);
      this.#allow(["sqs:SendMessage"], queue.queueArn);
    }
    for (const name of manifest.secrets ?? []) this.#letRead(name, resources.secrets[name]);
    if (isBehindEntrance(manifest) && resources.entranceSecret !== undefined)
      this.#letRead("entrance", resources.entranceSecret);
    for (const name of manifest.rotates ?? []) {
      const { secretArn } = resources.secrets[name];
      this.#runner.setVariable(variables.secret(name), secretArn);
      this.#allow(
        [
          "secretsmanager:DescribeSecret",
          "secretsmanager:GetSecretValue",
          "secretsmanager:PutSecretValue",
          "secretsmanager:UpdateSecretVersionStage",
        ],
        secretArn,
      );
    }
    if (manifest.posts) this.#allowPosting(resources);
    if (manifest.delivers?.includes("email")) this.#allowEmail(stage.settings.emailSender);
    if (manifest.delivers?.includes("sms")) this.#allowSms();
    for (const { arn } of stage.settings.pushApplications) this.#allowPushes(manifest.pushes ?? [], arn);
  }

  #letRead(name: SecretName | EntranceSecret, { secretArn }: ISecret) {
    this.#runner.setVariable(variables.secret(name), secretArn);
    this.#allow(["secretsmanager:GetSecretValue"], secretArn);
  }

  #allow(actions: string[], resource: string) {
    this.#runner.allow(new PolicyStatement({ actions, resources: [resource] }));
  }

  #allowPosting({ socketApi, relayQueues }: Resources) {
    if (socketApi !== undefined) {
      this.#runner.setVariable(variables.socketsEndpoint, socketApi.connectionsUrl);
      this.#allow(["execute-api:ManageConnections"], socketApi.connectionsArn);
      this.#acknowledgeWildcard(
        socketApi.connectionsFinding,
        "Sockets have no fixed ids; the stage is the smallest set of them.",
      );
    }
    if (relayQueues !== undefined) {
      this.#runner.setVariable(variables.relayQueues, relayQueues.urlPrefix);
      this.#allow(["sqs:SendMessage"], relayQueues.arn);
    }
  }

  /**
   * Limited by the sender and not by resources, because the SES sandbox also counts the recipients' identities as
   * resources.
   */
  #allowEmail(sender: string) {
    this.#runner.allow(
      new PolicyStatement({
        actions: ["ses:SendEmail"],
        resources: ["*"],
        conditions: { StringEquals: { "ses:FromAddress": sender } },
      }),
    );
    this.#acknowledgeAnyResource("Mail may go to anybody, but a condition allows one sender only.");
  }

  #allowSms() {
    this.#runner.allow(new PolicyStatement({ actions: ["sns:Publish"], resources: ["*"] }));
    const everyTopic = `arn:${Aws.PARTITION}:sns:*:*:*`;
    this.#runner.allow(
      new PolicyStatement({ effect: Effect.DENY, actions: ["sns:Publish"], resources: [everyTopic] }),
    );
    this.#acknowledgeAnyResource("A phone number has no ARN; every topic is denied.");
  }

  #allowPushes(pushes: NonNullable<Access["pushes"]>, applicationArn: string) {
    if (pushes.length === 0) return;
    if (pushes.includes("register")) this.#allow(["sns:CreatePlatformEndpoint"], applicationArn);
    const endpoints = `${endpointPrefixOf(applicationArn)}*`;
    this.#allow(
      pushes.flatMap((one) => endpointActions[one]),
      endpoints,
    );
    this.#acknowledgeWildcard(
      endpoints,
      "Endpoints are created and deleted all the time; those of one app are the smallest set.",
    );
  }

  #acknowledgeAnyResource(reason: string) {
    this.#acknowledgeWildcard("*", reason);
  }

  #acknowledgeWildcard(resource: string, reason: string) {
    Validations.of(this.#runner.scope).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${resource}]`,
      reason,
    });
  }
}
