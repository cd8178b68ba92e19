import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loopback } from "../network-host.ts";
import { startBuckets } from "./buckets.ts";
import { MessageStore } from "./message-store.ts";
import { PlatformEndpoints } from "./platform-endpoints.ts";
import { startQueueService } from "./queue-service.ts";
import { SecretStore } from "./secret-store.ts";
import { startServiceEndpoint } from "./service-endpoint.ts";
import type { SnsState } from "./sns.ts";
import { startTableServer } from "./table-server.ts";

/** Services that the functions use, as the SDK spells them in `AWS_ENDPOINT_URL_<SERVICE>`. */
type Service = "DYNAMODB" | "SQS" | "S3" | "SESV2" | "SNS" | "SECRETS_MANAGER";

/** The running emulators, and their data. */
export interface Emulators {
  /** Variables that point the AWS SDK to the emulators; the caller assigns them to `process.env`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folder for the files of stacks: the data folder, or a temporary one. */
  readonly folder: string;
  readonly messages: MessageStore;
  readonly secrets: SecretStore;
  /** Resolves with a message when an emulator has ended without being stopped. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

interface Running {
  readonly urls: Partial<Record<Service, string>>;
  readonly failed?: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Start the emulators that stand in for AWS on this machine. None is started for a service whose
 * `AWS_ENDPOINT_URL_<SERVICE>` (or `AWS_ENDPOINT_URL`) is set. Without a data folder, nothing is kept.
 * @param options.host address of this machine at which files can be downloaded; everything else is served on 127.0.0.1
 *
 * @throws SetupError when an emulator cannot be started here
 */
export async function startEmulators({
  dataFolder,
  host = loopback,
  environment = process.env,
}: {
  dataFolder?: string;
  host?: string;
  environment?: Readonly<Record<string, string | undefined>>;
} = {}): Promise<Emulators> {
  const folder = dataFolder ?? mkdtempSync(join(tmpdir(), "parley-"));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = (name: string) => (dataFolder === undefined ? undefined : join(dataFolder, name));
  const messages = new MessageStore(kept("messages.jsonl"));
  const platformEndpoints = new PlatformEndpoints(kept("platform-endpoints.json"));
  const secrets = new SecretStore(kept("secrets.json"));
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION || "eu-central-1";
  const given = (service: Service) =>
    environment[`AWS_ENDPOINT_URL_${service}`] || environment.AWS_ENDPOINT_URL || undefined;

  // Random unless it is given, because it can be used to sign addresses of files.
  const accessKeyId = environment.AWS_ACCESS_KEY_ID || "local";
  const secretAccessKey = environment.AWS_SECRET_ACCESS_KEY || randomUUID();

  const startQueues = async (): Promise<Running> => {
    const { url, stop } = await startQueueService({ region, folder: kept("queues") });
    return { urls: { SQS: url }, stop };
  };
  const startObjects = async (): Promise<Running> => {
    const { url, stop } = await startBuckets({
      region,
      folder: kept("s3"),
      host,
      secretOf: (id) => (id === accessKeyId ? secretAccessKey : undefined),
    });
    return { urls: { S3: url }, stop };
  };
  const starts: [Service[], () => Promise<Running>][] = [
    [["DYNAMODB"], () => startTables(dataFolder)],
    [["SQS"], startQueues],
    [["S3"], startObjects],
    [
      ["SESV2", "SNS", "SECRETS_MANAGER"],
      () => startServices({ messages, endpoints: platformEndpoints }, secrets),
    ],
  ];
  const outcomes = await Promise.allSettled(
    starts.filter(([services]) => !services.every(given)).map(([, start]) => start()),
  );
  const running = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const stop = async () => {
    await Promise.all(running.map((emulator) => emulator.stop()));
    if (dataFolder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) {
    await stop();
    throw failure.reason;
  }

  const urls: Partial<Record<Service, string>> = Object.assign(
    {},
    ...running.map((emulator) => emulator.urls),
  );
  const endpoints = starts.flatMap(([services]) =>
    services.map((service) => [`AWS_ENDPOINT_URL_${service}`, given(service) ?? urls[service] ?? ""]),
  );
  const usesOthers = starts.some(([services]) => services.some(given));
  return {
    environment: {
      ...Object.fromEntries(endpoints),
      AWS_REGION: region,
      ...credentials(environment, usesOthers, secretAccessKey),
    },
    folder,
    messages,
    secrets,
    failed: Promise.race(running.flatMap(({ failed }) => failed ?? [])),
    stop,
  };
}

async function startTables(dataFolder: string | undefined): Promise<Running> {
  const server = await startTableServer(dataFolder);
  let isWanted = true;
  return {
    urls: { DYNAMODB: server.url },
    failed: new Promise((resolve) => {
      server.ended.then(() => isWanted && resolve("The DynamoDB emulator has ended"));
    }),
    stop() {
      isWanted = false;
      return server.stop();
    },
  };
}

async function startServices(state: SnsState, secrets: SecretStore): Promise<Running> {
  const { url, stop } = await startServiceEndpoint(state, secrets);
  return { urls: { SESV2: url, SNS: url, SECRETS_MANAGER: url }, stop };
}

/** The SDK needs a key, but any will do; with a profile, it would look for credentials elsewhere. */
function credentials(
  { AWS_ACCESS_KEY_ID, AWS_PROFILE }: Readonly<Record<string, string | undefined>>,
  usesOthers: boolean,
  secretAccessKey: string,
): Record<string, string> {
  if (usesOthers && AWS_PROFILE) return {};
  const profile: Record<string, string> = AWS_PROFILE ? { AWS_PROFILE: "" } : {};
  if (AWS_ACCESS_KEY_ID) return profile;
  return { ...profile, AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: secretAccessKey };
}
