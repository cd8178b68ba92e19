import { readFileSync } from "node:fs";
import type { TableName } from "./data/tables.ts";
import type { QueueName } from "./messaging/queues.ts";
import type { SecretName } from "./secrets.ts";
import { parseSettings, type Settings } from "./settings.ts";

/** Names of the environment variables by which a function learns its resources; CDK and the local runner set them. */
export const variables = {
  settingsFile: "SETTINGS_FILE",
  publicUrl: "PUBLIC_URL",
  docsAssets: "DOCS_ASSETS",
  socketsEndpoint: "SOCKETS_ENDPOINT",
  logLevel: "LOG_LEVEL",
  table: (name: TableName) => `TABLE_${screaming(name)}`,
  queue: (name: QueueName) => `QUEUE_${screaming(name)}`,
  secret: (name: SecretName) => `SECRET_${screaming(name)}`,
} as const;

const screaming = (name: string) => name.replaceAll("-", "_").toUpperCase();

/** What a function knows of its surroundings. A resource that its manifest does not ask for throws when named. */
export interface Config {
  readonly settings: Settings;
  /** Base address of the public API, without trailing slash. */
  readonly publicUrl: string;
  readonly logLevel: string;
  readonly docsAssets: string;
  /** Address of the `@connections` API. */
  readonly socketsEndpoint: string;
  tableName(name: TableName): string;
  queueUrl(name: QueueName): string;
  secretId(name: SecretName): string;
}

/** The only reader of the environment (the AWS SDK apart). @throws Error naming a missing variable */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const required = (name: string) => {
    const value = environment[name];
    if (value === undefined) throw new Error(`Environment variable ${name} is missing`);
    return value;
  };
  const settings = parseSettings(JSON.parse(readFileSync(required(variables.settingsFile), "utf8")));
  return {
    settings,
    publicUrl: (settings.publicUrl ?? required(variables.publicUrl)).replace(/\/$/, ""),
    logLevel: environment[variables.logLevel] ?? "INFO",
    docsAssets: environment[variables.docsAssets] ?? "",
    socketsEndpoint: environment[variables.socketsEndpoint] ?? "",
    tableName: (name) => required(variables.table(name)),
    queueUrl: (name) => required(variables.queue(name)),
    secretId: (name) => required(variables.secret(name)),
  };
}
