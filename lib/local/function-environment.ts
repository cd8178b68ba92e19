import { type EntranceSecret, variables } from "#shared/platform/config.ts";
import { type FunctionAccess, isBehindEntrance } from "#shared/platform/manifest.ts";
import type { BucketName } from "#shared/registry/buckets.ts";
import type { QueueName } from "#shared/registry/queues.ts";
import type { SecretName } from "#shared/registry/secrets.ts";
import type { TableName } from "#shared/registry/tables.ts";

/** Values for every function of a stack, and the names of the resources that its manifest may ask for. */
export interface FunctionContext {
  readonly settingsFile: string;
  readonly publicUrl: string;
  readonly docsAssets: string;
  readonly logLevel: string;
  /** Address of the `@connections` API. */
  readonly socketsEndpoint: string;
  /** Prefix of the URLs of the relays' queues. */
  readonly relayQueues: string;
  /** Whether requests come through an entrance. */
  readonly hasEntrance?: boolean;
  tableName(name: TableName): string;
  bucketName(name: BucketName): string;
  queueUrl(name: QueueName): string;
  secretId(name: SecretName | EntranceSecret): string;
}

/** The environment of one function: as on AWS, it only names resources in the manifest. */
export function functionEnvironment(
  manifest: FunctionAccess,
  surroundings: FunctionContext,
): Record<string, string> {
  const { tables = {}, buckets = {}, sends = [], secrets = [], rotates = [], posts, trigger } = manifest;
  const { tableName, bucketName, queueUrl, secretId, hasEntrance } = surroundings;
  return {
    [variables.settingsFile]: surroundings.settingsFile,
    [variables.publicUrl]: surroundings.publicUrl,
    [variables.docsAssets]: surroundings.docsAssets,
    [variables.logLevel]: surroundings.logLevel,
    ...(manifest.isClient && { [variables.socketUrl]: surroundings.publicUrl.replace(/^http/, "ws") }),
    ...(posts && {
      [variables.socketsEndpoint]: surroundings.socketsEndpoint,
      [variables.relayQueues]: surroundings.relayQueues,
    }),
    ...record(Object.keys(tables) as TableName[], variables.table, tableName),
    ...record(Object.keys(buckets) as BucketName[], variables.bucket, bucketName),
    ...record(queuesOf(sends, trigger), variables.queue, queueUrl),
    ...record([...secrets, ...rotates], variables.secret, secretId),
    ...(hasEntrance &&
      isBehindEntrance(manifest) && { [variables.secret("entrance")]: secretId("entrance") }),
  };
}

/** A worker also knows the queue that triggers it. */
const queuesOf = (sends: readonly QueueName[], trigger: FunctionAccess["trigger"]): QueueName[] =>
  trigger !== undefined && "queue" in trigger ? [...sends, trigger.queue] : [...sends];

const record = <Name>(
  names: readonly Name[],
  variable: (name: Name) => string,
  value: (name: Name) => string,
): Record<string, string> => Object.fromEntries(names.map((name) => [variable(name), value(name)]));
