import { readFileSync } from "node:fs";
import type { BucketName, QueueName, SecretName, Settings, TableName } from "./product.ts";

/** The secret by which the entrance proves that a request came through it. Not every stage has an entrance. */
export type EntranceSecret = "entrance";

/** Names of the environment variables that tell a function its resources; CDK and the local runner set them. */
export const variables = {
  settingsFile: "SETTINGS_FILE",
  publicUrl: "PUBLIC_URL",
  docsAssets: "DOCS_ASSETS",
  /** Set by Lambda. */
  memory: "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
  socketUrl: "SOCKET_URL",
  socketsEndpoint: "SOCKETS_ENDPOINT",
  relayQueues: "RELAY_QUEUES",
  relayUploads: "RELAY_UPLOADS",
  logLevel: "LOG_LEVEL",
  stage: "STAGE",
  table: (name: TableName) => `TABLE_${screaming(name)}`,
  bucket: (name: BucketName) => `BUCKET_${screaming(name)}`,
  queue: (name: QueueName) => `QUEUE_${screaming(name)}`,
  secret: (name: SecretName | EntranceSecret) => `SECRET_${screaming(name)}`,
} as const;

const screaming = (name: string) => name.replaceAll("-", "_").toUpperCase();

/** A function's configuration. Asking for a resource that is not in its manifest throws. */
export interface Config {
  readonly settings: Settings;
  /** Base address of the public API, without trailing slash. */
  readonly publicUrl: string;
  /** Base address of the sockets, for functions that use them as a client does; otherwise empty. */
  readonly socketUrl: string;
  readonly logLevel: string;
  /** Name of the stage, which distinguishes its metrics from those of others; undefined where nobody reads metrics. */
  readonly stage?: string | undefined;
  readonly docsAssets: string;
  /** Memory that Lambda bills; undefined outside of it. */
  readonly memoryMegabytes?: number | undefined;
  /** Address of the `@connections` API; empty where API Gateway holds no sockets. */
  readonly socketsEndpoint: string;
  /** Prefix of the URLs of the relays' queues; undefined where no relay holds sockets. */
  readonly relayQueues?: string | undefined;
  /** Uploads that a relay takes at the same time; undefined where they reach functions. */
  readonly relayUploads?: number | undefined;
  /** Whether public requests come through an entrance, which proves itself by a secret. */
  readonly hasEntrance?: boolean;
  tableName(name: TableName): string;
  bucketName(name: BucketName): string;
  queueUrl(name: QueueName): string;
  secretId(name: SecretName | EntranceSecret): string;
}

/** Reads the environment; nothing else does, except the AWS SDK. @throws Error naming a missing variable */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const required = (name: string) => {
    const value = environment[name];
    if (value === undefined) throw new Error(`Environment variable ${name} is missing`);
    return value;
  };
  const settings = readSettings(required(variables.settingsFile));
  return {
    settings,
    publicUrl: (settings.publicUrl ?? required(variables.publicUrl)).replace(/\/$/, ""),
    socketUrl: environment[variables.socketUrl] ?? "",
    logLevel: environment[variables.logLevel] ?? "INFO",
    stage: environment[variables.stage],
    docsAssets: environment[variables.docsAssets] ?? "",
    memoryMegabytes: Number(environment[variables.memory]) || undefined,
    socketsEndpoint: environment[variables.socketsEndpoint] ?? "",
    relayQueues: environment[variables.relayQueues] || undefined,
    relayUploads: Number(environment[variables.relayUploads]) || undefined,
    hasEntrance: environment[variables.secret("entrance")] !== undefined,
    tableName: (name) => required(variables.table(name)),
    bucketName: (name) => required(variables.bucket(name)),
    queueUrl: (name) => required(variables.queue(name)),
    secretId: (name) => required(variables.secret(name)),
  };
}

/** The settings were validated and completed with defaults when the file was written, at synth or at local start. */
const readSettings = (file: string): Settings => JSON.parse(readFileSync(file, "utf8"));
