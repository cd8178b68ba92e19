import {
  ApiGatewayManagementApiClient,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import {
  CreatePlatformEndpointCommand,
  DeleteEndpointCommand,
  GetEndpointAttributesCommand,
  PublishCommand,
  SetEndpointAttributesCommand,
  SNSClient,
} from "@aws-sdk/client-sns";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { families } from "#functions/families.ts";
import { relayedFunction, uploadFunction } from "#lib/bundle/bundle.ts";
import { deployedWorkers } from "#lib/deployed-workers.ts";
import type { FunctionManifest } from "#lib/function-modules.ts";
import type { Credentials } from "#lib/signed-fetch.ts";
import { hasUploadRelays, type Stage } from "#lib/stage.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { buckets } from "#shared/registry/buckets.ts";
import { queues } from "#shared/registry/queues.ts";
import { secrets } from "#shared/registry/secrets.ts";
import { endpointPrefixOf } from "#shared/registry/settings/push.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type TableSpec, tables } from "#shared/registry/tables.ts";
import type { Deployment } from "./deployment.ts";

/**
 * A call that the manifest of a function allows or forbids. Even if allowed, the service refuses it for another reason.
 */
interface Call {
  readonly name: string;
  readonly isGranted: boolean;
  readonly send: () => Promise<unknown>;
}

/** The number of sockets of an SDK client, which warns of calls that wait for one. */
const concurrentCalls = 50;

/**
 * Check that the role of each function, and that of the relays, may do what its manifest names, and nothing else with
 * the tables, buckets, queues, secrets, mails, SMS, push tokens and sockets of the deployment. An emulator that refuses
 * nothing enforces no policies; then nothing can be checked.
 *
 * @throws Error with all differences
 */
export async function checkAccess(deployment: Deployment, stage: Stage): Promise<void> {
  const {
    settings: { pushApplications },
    sockets: { relay },
  } = stage;
  const start = Date.now();
  const functions = [...families, ...deployedWorkers(stage)].map((manifest) => ({
    name: manifest.name,
    manifest,
    role: `${manifest.name}-function/Role`,
  }));
  const relays =
    relay === undefined
      ? []
      : [{ name: "a relay", manifest: manifestOfRelay(stage), role: "relay-service/TaskRole" }];
  const differences: string[] = [];
  let count = 0;
  let refused = 0;
  for (const { name: caller, manifest, role } of [...functions, ...relays]) {
    const credentials = await deployment.assumeRole(role);
    const calls = [
      ...callsOf(manifest, deployment, credentials),
      ...pushCalls(manifest, pushApplications, new SNSClient({ credentials, maxAttempts: 1 })),
    ];
    count += calls.length;
    const outcomes: (Call & { isAllowed: boolean })[] = [];
    for (const chunk of chunks(calls, concurrentCalls)) {
      const answers = chunk.map(async (call) => ({ ...call, isAllowed: await isAllowed(call.send) }));
      outcomes.push(...(await Promise.all(answers)));
    }
    refused += outcomes.filter((call) => !call.isAllowed).length;
    for (const { name, isGranted } of outcomes.filter((call) => call.isAllowed !== call.isGranted)) {
      differences.push(`${caller} may ${isGranted ? "not " : ""}call ${name}, contrary to its manifest`);
    }
  }
  if (refused === 0) {
    console.log("      the emulator enforces no policies: the access of functions is not checked");
    return;
  }
  if (differences.length > 0) throw new Error(differences.join("\n"));
  console.log(
    `ok    ${functions.length} functions${relays.length > 0 ? " and the relays" : ""} have exactly the access in their manifests: ${count} calls (${Date.now() - start} ms)`,
  );
}

/**
 * The access of a relay: that of the function behind sockets and, if the relay accepts uploads, of the function behind
 * those.
 */
function manifestOfRelay(stage: Stage): FunctionManifest {
  const [ofSockets, ofUploads] = [relayedFunction(), uploadFunction()];
  if (!hasUploadRelays(stage)) return ofSockets;
  const { tables, buckets } = ofUploads;
  return { ...ofSockets, tables: { ...tables, ...ofSockets.tables }, ...(buckets && { buckets }) };
}

function callsOf(manifest: FunctionManifest, deployment: Deployment, credentials: Credentials): Call[] {
  const options = { credentials, maxAttempts: 1 };
  return [
    ...tableCalls(manifest, deployment, new DynamoDBClient(options)),
    ...bucketCalls(manifest, deployment, new S3Client({ ...options, forcePathStyle: true })),
    ...queueCalls(manifest, deployment, new SQSClient({ ...options, useQueueUrlAsEndpoint: false })),
    ...secretCalls(manifest, deployment, new SecretsManagerClient(options)),
    ...deliveryCalls(manifest, deployment, new SESv2Client(options), new SNSClient(options)),
    socketCall(
      manifest,
      new ApiGatewayManagementApiClient({ ...options, endpoint: deployment.connectionsUrl }),
    ),
  ];
}

/** The call has no keys, so a permitted caller gets a ValidationException. */
function tableCalls(
  { tables: granted = {}, scans = [], lists = [] }: FunctionManifest,
  deployment: Deployment,
  dynamo: DynamoDBClient,
) {
  return (Object.keys(tables) as (keyof typeof tables)[]).flatMap((name): Call[] => {
    const access = granted[name];
    const TableName = deployment.output(`${name}-table`);
    const ConditionExpression = "attribute_exists(#key)";
    const { index }: TableSpec = tables[name];
    const call = (action: string, isGranted: boolean, send: Call["send"]): Call => ({
      name: `${action} of table ${name}`,
      isGranted,
      send,
    });
    const canRead = access === "read" || access === "insert" || access === "write";
    const canWrite = access === "write";
    const canAdd = canWrite || access === "record";
    return [
      call("GetItem", canRead, () => dynamo.send(new GetItemCommand({ TableName, Key: {} }))),
      call("BatchGetItem", canRead, () =>
        dynamo.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [{}] } } })),
      ),
      call("Query", canRead, () => dynamo.send(new QueryCommand({ TableName }))),
      ...(index === undefined
        ? []
        : [
            call(`Query by ${index.name}`, lists.includes(name), () =>
              dynamo.send(new QueryCommand({ TableName, IndexName: index.name })),
            ),
          ]),
      call("ConditionCheckItem", canRead, () =>
        dynamo.send(
          new TransactWriteItemsCommand({
            TransactItems: [{ ConditionCheck: { TableName, Key: {}, ConditionExpression } }],
          }),
        ),
      ),
      call("PutItem", canAdd, () => dynamo.send(new PutItemCommand({ TableName, Item: {} }))),
      call("UpdateItem", canAdd || access === "count", () =>
        dynamo.send(new UpdateItemCommand({ TableName, Key: {} })),
      ),
      call("DeleteItem", canWrite, () => dynamo.send(new DeleteItemCommand({ TableName, Key: {} }))),
      call("BatchWriteItem", canWrite, () =>
        dynamo.send(
          new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: {} } }] } }),
        ),
      ),
      call("Scan", scans.includes(name), () => dynamo.send(new ScanCommand({ TableName, Limit: 1 }))),
      call("DescribeTable", false, () => dynamo.send(new DescribeTableCommand({ TableName }))),
    ];
  });
}

/** A permitted caller gets the object, or an error that none exists. */
function bucketCalls({ buckets: granted = {} }: FunctionManifest, deployment: Deployment, s3: S3Client) {
  return (Object.keys(buckets) as (keyof typeof buckets)[]).flatMap((name): Call[] => {
    const Bucket = deployment.output(`${name}-bucket`);
    const object = { Bucket, Key: "check-of-access" };
    const access = granted[name] ?? [];
    const call = (action: string, isGranted: boolean, send: Call["send"]): Call => ({
      name: `${action} of bucket ${name}`,
      isGranted,
      send,
    });
    return [
      call("PutObject", access.includes("write"), () =>
        s3.send(new PutObjectCommand({ ...object, Body: "x" })),
      ),
      call("GetObject", access.includes("read"), () => s3.send(new GetObjectCommand(object))),
      call("ListParts", access.includes("parts"), () =>
        s3.send(new ListPartsCommand({ ...object, UploadId: "check-of-access" })),
      ),
      call("DeleteObject", access.includes("delete"), () => s3.send(new DeleteObjectCommand(object))),
      call("ListObjects", access.includes("list"), () => s3.send(new ListObjectsV2Command({ Bucket }))),
    ];
  });
}

function queueCalls(manifest: FunctionManifest, deployment: Deployment, sqs: SQSClient) {
  const consumed = "trigger" in manifest && "queue" in manifest.trigger ? manifest.trigger.queue : undefined;
  return (Object.keys(queues) as (keyof typeof queues)[]).flatMap((name): Call[] => {
    const QueueUrl = deployment.output(`${name}-queue/Queue`);
    const sends = manifest.sends?.includes(name) ?? false;
    const ReceiptHandle = "none";
    return [
      {
        name: `SendMessage to queue ${name}`,
        isGranted: sends,
        // A body that every queue refuses.
        send: () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "" })),
      },
      {
        name: `ReceiveMessage of queue ${name}`,
        isGranted: name === consumed,
        send: () => sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 99 })),
      },
      {
        name: `DeleteMessage of queue ${name}`,
        isGranted: name === consumed,
        send: () => sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })),
      },
      {
        name: `ChangeMessageVisibility of queue ${name}`,
        isGranted: name === consumed,
        send: () =>
          sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 })),
      },
      {
        name: `PurgeQueue of queue ${name}`,
        isGranted: false,
        send: () => sqs.send(new PurgeQueueCommand({ QueueUrl })),
      },
    ];
  });
}

function secretCalls(
  manifest: FunctionManifest,
  deployment: Deployment,
  secretsManager: SecretsManagerClient,
) {
  return (Object.keys(secrets) as (keyof typeof secrets)[]).flatMap((name): Call[] => {
    const SecretId = deployment.output(`${name}-secret`);
    const rotates = manifest.rotates?.includes(name) ?? false;
    const call = (action: string, isGranted: boolean, send: Call["send"]): Call => ({
      name: `${action} of secret ${name}`,
      isGranted,
      send,
    });
    return [
      call("GetSecretValue", rotates || (manifest.secrets?.includes(name) ?? false), () =>
        secretsManager.send(new GetSecretValueCommand({ SecretId, VersionStage: "NONE" })),
      ),
      call("DescribeSecret", rotates, () => secretsManager.send(new DescribeSecretCommand({ SecretId }))),
      // Without a value, and for a staging label that nobody reads, because the emulator accepts the call.
      call("PutSecretValue", rotates, () =>
        secretsManager.send(new PutSecretValueCommand({ SecretId, VersionStages: ["CHECK"] })),
      ),
      call("UpdateSecretVersionStage", rotates, () =>
        secretsManager.send(
          new UpdateSecretVersionStageCommand({
            SecretId,
            VersionStage: "NONE",
            MoveToVersionId: "0".repeat(32),
          }),
        ),
      ),
    ];
  });
}

/** The names do not exist: a permitted caller gets that error, or creates an endpoint of an existing app. */
function pushCalls(
  { pushes = [] }: FunctionManifest,
  pushApplications: Settings["pushApplications"],
  sns: SNSClient,
) {
  return pushApplications.flatMap(({ arn: PlatformApplicationArn }): Call[] => {
    const EndpointArn = `${endpointPrefixOf(PlatformApplicationArn)}none`;
    const call = (action: string, needed: (typeof pushes)[number], send: Call["send"]): Call => ({
      name: `${action} of ${PlatformApplicationArn}`,
      isGranted: pushes.includes(needed),
      send,
    });
    return [
      call("CreatePlatformEndpoint", "register", () =>
        sns.send(new CreatePlatformEndpointCommand({ PlatformApplicationArn, Token: "check-of-access" })),
      ),
      call("SetEndpointAttributes", "register", () =>
        sns.send(new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "true" } })),
      ),
      call("GetEndpointAttributes", "release", () =>
        sns.send(new GetEndpointAttributesCommand({ EndpointArn })),
      ),
      call("DeleteEndpoint", "release", () => sns.send(new DeleteEndpointCommand({ EndpointArn }))),
      call("Publish", "wake", () =>
        sns.send(new PublishCommand({ TargetArn: EndpointArn, Message: "check-of-access" })),
      ),
    ];
  });
}

/** Does not try another sender: a rewrite removes that condition. */
function deliveryCalls(
  { delivers = [] }: FunctionManifest,
  deployment: Deployment,
  ses: SESv2Client,
  sns: SNSClient,
): Call[] {
  const TopicArn = `arn:aws:sns:${deployment.region}:${deployment.account}:topic`;
  return [
    {
      name: "SendEmail",
      isGranted: delivers.includes("email"),
      send: () => ses.send(new SendEmailCommand({ Content: {} })),
    },
    {
      name: "Publish to a phone",
      isGranted: delivers.includes("sms"),
      send: () => sns.send(new PublishCommand({ PhoneNumber: "+4930000000", Message: "" })),
    },
    {
      name: "Publish to a topic",
      isGranted: false,
      send: () => sns.send(new PublishCommand({ TopicArn, Message: "" })),
    },
  ];
}

const socketCall = ({ posts = false }: FunctionManifest, gateway: ApiGatewayManagementApiClient): Call => ({
  name: "PostToConnection",
  isGranted: posts,
  send: () => gateway.send(new PostToConnectionCommand({ ConnectionId: "none", Data: "" })),
});

async function isAllowed(send: Call["send"]): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return !/AccessDenied|AuthorizationError|Forbidden|NotAuthorized/.test(error.name);
  }
}
