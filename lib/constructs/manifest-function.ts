import { Aws, type Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Effect, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { variables } from "#shared/platform/config.ts";
import type { Access, TableAccess } from "#shared/platform/manifest.ts";
import type { BucketAccess, BucketName } from "#shared/registry/buckets.ts";
import type { QueueName } from "#shared/registry/queues.ts";
import type { SecretName } from "#shared/registry/secrets.ts";
import { endpointPrefixOf } from "#shared/registry/settings/push.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { docsFolder, docsFunction, settingsFile } from "../bundle.ts";
import type { Stage } from "../stage.ts";
import type { ObjectBucket } from "./object-bucket.ts";
import type { SocketApi } from "./socket-api.ts";
import type { WorkerQueue } from "./worker-queue.ts";

/** All resources that a manifest can name. */
export interface Resources {
  readonly tables: Readonly<Record<TableName, ITable>>;
  readonly buckets: Readonly<Record<BucketName, ObjectBucket>>;
  readonly queues: Readonly<Record<QueueName, WorkerQueue>>;
  readonly secrets: Readonly<Record<SecretName, ISecret>>;
  readonly socketApi: SocketApi;
}

export interface ManifestFunctionProps {
  readonly manifest: Access & { readonly name: string; readonly summary: string };
  readonly code: Code;
  readonly timeout: Duration;
  readonly stage: Stage;
  readonly publicUrl: string;
  /** For functions that requests reach through a distribution. */
  readonly entranceSecret?: string | undefined;
  readonly resources: Resources;
}

/** Folder into which Lambda unpacks a bundle. */
const bundleRoot = "/var/task";

const readActions = [
  "dynamodb:GetItem",
  "dynamodb:BatchGetItem",
  "dynamodb:Query",
  "dynamodb:ConditionCheckItem",
];
// Inserts many items in one call, each under the condition that its key is free.
const insertActions = [...readActions, "dynamodb:PartiQLInsert"];
const tableActions: Readonly<Record<TableAccess, string[]>> = {
  read: readActions,
  insert: insertActions,
  write: [
    ...insertActions,
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:BatchWriteItem",
  ],
};

const objectActions: Readonly<Record<BucketAccess, string>> = {
  read: "s3:GetObject",
  write: "s3:PutObject",
  delete: "s3:DeleteObject",
};

const endpointActions: Readonly<Record<NonNullable<Access["pushes"]>[number], readonly string[]>> = {
  register: ["sns:SetEndpointAttributes"],
  release: ["sns:GetEndpointAttributes", "sns:DeleteEndpoint"],
  wake: ["sns:Publish"],
};

/** One Lambda function: its bundle, and exactly the access that its manifest asks for, variable and grant together. */
export class ManifestFunction extends Construct {
  readonly name: string;
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, props: ManifestFunctionProps) {
    const { manifest, code, timeout, stage, publicUrl, entranceSecret } = props;
    super(scope, `${manifest.name}-function`);
    this.name = manifest.name;
    const logGroup = new LogGroup(this, "Logs", {
      retention: stage.logRetentionDays,
      removalPolicy: stage.isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    this.lambda = new LambdaFunction(this, "Function", {
      description: manifest.summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: "index.handler",
      code,
      timeout,
      memorySize: stage.memoryMegabytes,
      reservedConcurrentExecutions: stage.reservedConcurrency[manifest.name],
      role,
      logGroup,
      tracing: stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      environment: {
        [variables.settingsFile]: `${bundleRoot}/${settingsFile}`,
        [variables.publicUrl]: publicUrl,
        [variables.logLevel]: stage.logLevel,
        [variables.stage]: stage.name,
        ...(entranceSecret !== undefined && { [variables.entranceSecret]: entranceSecret }),
        ...(manifest.name === docsFunction && { [variables.docsAssets]: `${bundleRoot}/${docsFolder}` }),
      },
    });
    if (stage.tracing) this.#acknowledgeAnyResource("X-Ray has no resources to restrict traces to.");
    this.#grant(props);
  }

  #grant({ manifest, resources, stage }: ManifestFunctionProps) {
    for (const [name, access] of Object.entries(manifest.tables ?? {}) as [TableName, TableAccess][]) {
      const table = resources.tables[name];
      this.lambda.addEnvironment(variables.table(name), table.tableName);
      this.#allow(tableActions[access], table.tableArn);
    }
    for (const name of manifest.scans ?? []) this.#allow(["dynamodb:Scan"], resources.tables[name].tableArn);
    for (const [name, access] of Object.entries(manifest.buckets ?? {}) as [BucketName, BucketAccess[]][]) {
      const bucket = resources.buckets[name];
      this.lambda.addEnvironment(variables.bucket(name), bucket.nameElsewhere);
      this.#allow(
        access.map((one) => objectActions[one]),
        bucket.objectsElsewhere,
      );
      this.#acknowledgeWildcard(
        bucket.objectsFinding,
        "Objects have no fixed names; the bucket is the smallest set of them.",
      );
    }
    for (const name of manifest.sends ?? []) {
      const { queue } = resources.queues[name];
      this.lambda.addEnvironment(variables.queue(name), queue.queueUrl);
      this.#allow(["sqs:SendMessage"], queue.queueArn);
    }
    for (const name of manifest.secrets ?? []) {
      const { secretArn } = resources.secrets[name];
      this.lambda.addEnvironment(variables.secret(name), secretArn);
      this.#allow(["secretsmanager:GetSecretValue"], secretArn);
    }
    for (const name of manifest.rotates ?? []) {
      const { secretArn } = resources.secrets[name];
      this.lambda.addEnvironment(variables.secret(name), secretArn);
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
    if (manifest.posts) this.#allowPosting(resources.socketApi);
    if (manifest.delivers?.includes("email")) this.#allowEmail(stage.settings.emailSender);
    if (manifest.delivers?.includes("sms")) this.#allowSms();
    for (const { arn } of stage.settings.pushApplications) this.#allowPushes(manifest.pushes ?? [], arn);
  }

  #allow(actions: string[], resource: string) {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions, resources: [resource] }));
  }

  #allowPosting({ connectionsUrl, connectionsArn, connectionsFinding }: SocketApi) {
    this.lambda.addEnvironment(variables.socketsEndpoint, connectionsUrl);
    this.#allow(["execute-api:ManageConnections"], connectionsArn);
    this.#acknowledgeWildcard(
      connectionsFinding,
      "Sockets have no fixed ids; the stage is the smallest set of them.",
    );
  }

  /** Limited by sender instead of resource: in the SES sandbox, the recipients' identities count as resources, too. */
  #allowEmail(sender: string) {
    this.lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ["ses:SendEmail"],
        resources: ["*"],
        conditions: { StringEquals: { "ses:FromAddress": sender } },
      }),
    );
    this.#acknowledgeAnyResource("Mail may go to anybody, but a condition allows one sender only.");
  }

  #allowSms() {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: ["sns:Publish"], resources: ["*"] }));
    const everyTopic = `arn:${Aws.PARTITION}:sns:*:*:*`;
    this.lambda.addToRolePolicy(
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
      "Endpoints come and go; those of one app are the smallest set of them.",
    );
  }

  #acknowledgeAnyResource(reason: string) {
    this.#acknowledgeWildcard("*", reason);
  }

  #acknowledgeWildcard(resource: string, reason: string) {
    Validations.of(this).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason });
  }
}
