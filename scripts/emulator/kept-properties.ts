import { type CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import {
  GetEventSourceMappingCommand,
  GetFunctionConfigurationCommand,
  GetFunctionRecursionConfigCommand,
  LambdaClient,
} from "@aws-sdk/client-lambda";
import {
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  GetPublicAccessBlockCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Credentials } from "#lib/signed-fetch.ts";
import { type EmulatorName, emulators } from "./emulators.ts";
import type { Emulator } from "./start-emulator.ts";
import type { Resource, Template, Value } from "./template.ts";

/** The number of resources of a stack that were created, and the others. */
export interface MadeStack {
  readonly name: string;
  readonly made: readonly { readonly resource: Resource; readonly physical: string }[];
  readonly missing: readonly Resource[];
}

/** Compare the emulator's list of a stack's resources with its template. */
export async function listMade(
  name: string,
  { Resources }: Template,
  cloudFormation: CloudFormationClient,
): Promise<MadeStack> {
  const physicals = new Map<string, string>();
  const pages = paginateListStackResources({ client: cloudFormation }, { StackName: name });
  for await (const { StackResourceSummaries = [] } of pages)
    for (const { LogicalResourceId = "", PhysicalResourceId = "" } of StackResourceSummaries)
      physicals.set(LogicalResourceId, PhysicalResourceId);
  const entries = Object.entries(Resources);
  return {
    name,
    made: entries.flatMap(([id, resource]) => {
      const physical = physicals.get(id);
      return physical === undefined ? [] : [{ resource, physical }];
    }),
    missing: entries.flatMap(([id, resource]) => (physicals.has(id) ? [] : [resource])),
  };
}

type Read = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Read the properties of tables, queues, buckets, functions and triggers from their services, and print, for each, how
 * many resources have the value of the template.
 *
 * @returns differences from the emulator's description, a line each
 */
export async function checkKept(
  name: EmulatorName,
  stacks: readonly MadeStack[],
  emulator: Emulator,
  credentials: Credentials,
): Promise<string[]> {
  const counts = await countKept(stacks, createReaders(emulator, credentials));
  const dropped = [...counts].filter(([, { kept, total }]) => kept < total);
  const isAll = counts.size - dropped.length;
  console.log(
    `ok    ${isAll} of ${counts.size} properties of tables, queues, buckets and functions are kept`,
  );
  for (const [property, { kept, total }] of dropped) console.log(`      ${property}: ${kept} of ${total}`);
  return differences(
    counts.keys(),
    dropped.map(([property]) => property),
    emulators[name].drops,
  );
}

/**
 * Types and properties whose acceptance differs from the emulator's description, a line each.
 * @param refused the requested ones that the emulator did not accept
 */
export const differences = (
  asked: Iterable<string>,
  refused: Iterable<string>,
  said: readonly string[],
): string[] => {
  const found = new Set(refused);
  return [...new Set(asked)]
    .filter((one) => found.has(one) !== said.includes(one))
    .map((one) =>
      found.has(one)
        ? `The emulator does not accept ${one}, contrary to its description`
        : `The emulator accepts ${one}, contrary to its description`,
    );
};

interface Counts {
  kept: number;
  total: number;
}

async function countKept(
  stacks: readonly MadeStack[],
  readersOf: ReturnType<typeof createReaders>,
): Promise<Map<string, Counts>> {
  const counts = new Map<string, Counts>();
  for (const { resource, physical } of stacks.flatMap(({ made }) => made)) {
    const read = readersOf[resource.Type]?.(physical) ?? {};
    for (const [property, actual] of Object.entries(read)) {
      const expected = resource.Properties[property];
      if (expected === undefined) continue;
      const name = `${resource.Type} ${property}`;
      const count = counts.get(name) ?? { kept: 0, total: 0 };
      counts.set(name, count);
      count.total += 1;
      // A service answers with an error if there is none.
      if (includes(await actual().catch(() => undefined), expected)) count.kept += 1;
    }
  }
  return counts;
}

/** Whether a value has everything in the template; values that CloudFormation computes may be anything. */
export function includes(actual: Value, expected: Value): boolean {
  if (actual === undefined || actual === null) return false;
  if (Array.isArray(expected))
    return Array.isArray(actual) && expected.every((one) => actual.some((other) => includes(other, one)));
  if (typeof expected !== "object") return String(actual) === String(expected);
  const keys = Object.keys(expected);
  if (keys.length === 1 && /^(Ref|Fn::.*)$/.test(keys[0] ?? "")) return true;
  return typeof actual === "object" && keys.every((key) => includes(actual[key], expected[key]));
}

/** For each type, a function that reads the properties of a resource in the form of templates. */
function createReaders(
  { endpoint, region }: Emulator,
  credentials: Credentials,
): Readonly<Record<string, (physical: string) => Read>> {
  const options = { endpoint, region, credentials, maxAttempts: 1 };
  const dynamo = new DynamoDBClient(options);
  const sqs = new SQSClient({ ...options, useQueueUrlAsEndpoint: false });
  const s3 = new S3Client({ ...options, forcePathStyle: true });
  const lambda = new LambdaClient(options);
  return {
    "AWS::DynamoDB::Table": (TableName) => {
      const table = once(
        async () => (await dynamo.send(new DescribeTableCommand({ TableName }))).Table ?? {},
      );
      return {
        ...fields(table, [
          "AttributeDefinitions",
          "KeySchema",
          "DeletionProtectionEnabled",
          "GlobalSecondaryIndexes",
        ]),
        BillingMode: async () => (await table()).BillingModeSummary?.BillingMode,
        TimeToLiveSpecification: async () => {
          const { TimeToLiveDescription } = await dynamo.send(new DescribeTimeToLiveCommand({ TableName }));
          const { AttributeName, TimeToLiveStatus } = TimeToLiveDescription ?? {};
          return { AttributeName, Enabled: TimeToLiveStatus === "ENABLED" };
        },
        PointInTimeRecoverySpecification: async () => {
          const answer = await dynamo.send(new DescribeContinuousBackupsCommand({ TableName }));
          const { PointInTimeRecoveryStatus } =
            answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
          return { PointInTimeRecoveryEnabled: PointInTimeRecoveryStatus === "ENABLED" };
        },
      };
    },
    "AWS::SQS::Queue": (QueueUrl) => {
      const attributes = once(async () => {
        const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
        const { RedrivePolicy, ...others } = (await sqs.send(command)).Attributes ?? {};
        return { ...others, RedrivePolicy: RedrivePolicy && JSON.parse(RedrivePolicy) };
      });
      return fields(attributes, [
        "MessageRetentionPeriod",
        "VisibilityTimeout",
        "DelaySeconds",
        "SqsManagedSseEnabled",
        "FifoQueue",
        "ContentBasedDeduplication",
        "DeduplicationScope",
        "FifoThroughputLimit",
        "RedrivePolicy",
      ]);
    },
    "AWS::S3::Bucket": (Bucket) => ({
      BucketEncryption: async () => {
        const { ServerSideEncryptionConfiguration } = await s3.send(
          new GetBucketEncryptionCommand({ Bucket }),
        );
        return {
          ServerSideEncryptionConfiguration: ServerSideEncryptionConfiguration?.Rules?.map((rule) => ({
            ServerSideEncryptionByDefault: rule.ApplyServerSideEncryptionByDefault,
          })),
        };
      },
      CorsConfiguration: async () => {
        const { CORSRules = [] } = await s3.send(new GetBucketCorsCommand({ Bucket }));
        return {
          CorsRules: CORSRules.map((rule) => ({
            ...rule,
            ExposedHeaders: rule.ExposeHeaders,
            MaxAge: rule.MaxAgeSeconds,
          })),
        };
      },
      LifecycleConfiguration: async () => {
        const { Rules = [] } = await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
        return {
          Rules: Rules.map((rule) => ({
            ...rule,
            Prefix: rule.Filter?.Prefix ?? rule.Prefix,
            ExpirationInDays: rule.Expiration?.Days,
            ExpiredObjectDeleteMarker: rule.Expiration?.ExpiredObjectDeleteMarker,
            Transitions: rule.Transitions?.map(({ StorageClass, Days }) => ({
              StorageClass,
              TransitionInDays: Days,
            })),
          })),
        };
      },
      OwnershipControls: async () =>
        (await s3.send(new GetBucketOwnershipControlsCommand({ Bucket }))).OwnershipControls,
      PublicAccessBlockConfiguration: async () =>
        (await s3.send(new GetPublicAccessBlockCommand({ Bucket }))).PublicAccessBlockConfiguration,
      VersioningConfiguration: () => s3.send(new GetBucketVersioningCommand({ Bucket })),
      ObjectLockConfiguration: async () =>
        (await s3.send(new GetObjectLockConfigurationCommand({ Bucket }))).ObjectLockConfiguration,
    }),
    "AWS::Lambda::Function": (FunctionName) => ({
      ...fields(
        once(() => lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))),
        [
          "Architectures",
          "Description",
          "Environment",
          "Handler",
          "LoggingConfig",
          "MemorySize",
          "Role",
          "Runtime",
          "Timeout",
        ],
      ),
      RecursiveLoop: async () =>
        (await lambda.send(new GetFunctionRecursionConfigCommand({ FunctionName }))).RecursiveLoop,
    }),
    "AWS::Lambda::EventSourceMapping": (UUID) =>
      fields(
        once(() => lambda.send(new GetEventSourceMappingCommand({ UUID }))),
        ["BatchSize", "EventSourceArn", "FunctionResponseTypes", "ScalingConfig"],
      ),
  };
}

/** Fields of an answer, each read from a single request. */
const fields = (read: () => Promise<object>, names: readonly string[]): Read =>
  Object.fromEntries(
    names.map((name) => [name, async () => ((await read()) as Record<string, unknown>)[name]]),
  );

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= read();
    return answer;
  };
}
