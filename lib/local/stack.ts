import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ScheduledEvent } from "aws-lambda";
import { families, workers } from "#functions/families.ts";
import { RelayStore } from "#shared/events/sockets/relay-store.ts";
import { type Clock, systemClock, toSeconds } from "#shared/platform/clock.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { type QueueName, type QueueSpec, queues } from "#shared/registry/queues.ts";
import { parseSettings, type Settings, type SettingsInput } from "#shared/registry/settings.ts";
import type { TableName } from "#shared/registry/tables.ts";
import type { Audience } from "../gateway-routes.ts";
import { socketFunction, socketLogFunction } from "../socket-paths.ts";
import type { Emulators } from "./emulators/emulators.ts";
import { deleteExpired } from "./emulators/expiry-sweeper.ts";
import { startQueuePoller } from "./emulators/queue-poller.ts";
import { createResources, type Resources, tableSpecs } from "./emulators/resources.ts";
import { functionEnvironment } from "./function-environment.ts";
import { startGateway } from "./gateway/gateway.ts";
import type { LoggedRequest } from "./gateway/request-log.ts";
import { enforceGrants } from "./grants.ts";
import { createLocalFunction, type LocalFunction } from "./local-function.ts";
import { startConnectionsApi } from "./sockets/connections-api.ts";
import { FrameLog } from "./sockets/frame-log.ts";
import { startLocalRelay } from "./sockets/local-relay.ts";
import { type FrameKind, OpenSockets } from "./sockets/open-sockets.ts";
import type { SocketPost } from "./sockets/post-log.ts";
import { createSocketGateway, type SocketLimits } from "./sockets/socket-gateway.ts";
import { type Background, printError, type Report, startTimer } from "./timer.ts";

/** What holds the sockets of a stack. */
export type SocketMode = "gateway" | "relay";

/** Options of a local stack. */
export interface LocalStackOptions {
  readonly settings: SettingsInput;
  /** Separates its tables, queues and secrets from those of other stacks in the same emulators. */
  readonly prefix: string;
  /** Another process may have started them. */
  readonly emulators: Pick<Emulators, "environment" | "folder">;
  /** 0, the default, takes any free port. */
  readonly ports?: Readonly<Record<Audience, number>>;
  /** Address of this machine at which the public API and sockets are served; only itself reaches 127.0.0.1, the default. */
  readonly host?: string;
  /** Whether cookies lose `Secure`, because clients come without TLS; false by default. */
  readonly hasPlainCookies?: boolean;
  readonly clock?: Clock;
  readonly socketLimits?: SocketLimits;
  /** What holds the sockets of the public port: the emulation of API Gateway, by default, or a relay. */
  readonly sockets?: SocketMode;
  /** Whether no other stack works on the same data. */
  readonly isAlone?: boolean;
  /** Frames that clients of emulated sockets get; binary by default. */
  readonly frames?: FrameKind;
  readonly onRequest?: (request: LoggedRequest) => void;
  /** Called with each frame that functions post to open sockets. */
  readonly onPost?: (post: SocketPost) => void;
  /** Whether to load all functions after the start, so that no request waits; otherwise each at its first event. */
  readonly isPreloaded?: boolean;
  /** Whether to run all schedules once at the start: some are longer than many runs on a laptop. */
  readonly runsSchedulesAtStart?: boolean;
  /** Tables that take the place of those of the prefix: restored ones. */
  readonly restoredTables?: Readonly<Partial<Record<TableName, string>>>;
  /** Whether concurrent events of a function have instances of their own, as on Lambda; by default, they share one. */
  readonly hasInstancePerEvent?: boolean;
  /** Level of the functions' logs; by default that of `LOG_LEVEL`, or `WARN`. */
  readonly logLevel?: string;
  /** Called with what a function throws, which is printed by default. */
  readonly onFunctionError?: Report;
}

/** A running stack on this machine. */
export interface LocalStack {
  readonly publicUrl: string;
  readonly internalUrl: string;
  /** Call a function as its trigger would: for triggers that a local run never reaches, such as a key rotation. */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /** Secret of the local gateway, for calling functions directly. */
  readonly entranceSecret: string;
  readonly settings: Settings;
  readonly queueUrls: Readonly<Record<QueueName, string>>;
  readonly tableName: (name: TableName) => string;
  /** What the names of its tables, buckets and queues begin with. */
  readonly prefix: string;
  /** Resolves when its servers, workers and timers have ended. Its data stays in the emulators. */
  stop(): Promise<void>;
}

const expirySweepSeconds = 60;

/**
 * Run every function on this machine: resources in the emulators, both HTTP APIs, the WebSocket API on the port of the
 * public one, queue workers and schedules. Functions may write only where their manifests say so.
 * The AWS SDK takes its endpoints from `process.env`: assign `emulators.environment` to it first.
 *
 * @throws SetupError when a port is taken
 * @throws InvalidSettingsError naming each wrong setting
 */
export async function startStack({
  settings: settingsInput,
  prefix,
  emulators,
  ports = { public: 0, internal: 0 },
  host,
  hasPlainCookies,
  clock = systemClock,
  sockets: socketMode = "gateway",
  isAlone = false,
  socketLimits,
  frames,
  onRequest,
  onPost,
  isPreloaded = true,
  runsSchedulesAtStart = false,
  restoredTables = {},
  hasInstancePerEvent = false,
  logLevel = process.env.LOG_LEVEL ?? "WARN",
  onFunctionError = printError,
}: LocalStackOptions): Promise<LocalStack> {
  enforceGrants();
  const settings = parseSettings(settingsInput);
  const settingsFile = join(emulators.folder, `${prefix}-settings.json`);
  writeFileSync(settingsFile, JSON.stringify(settings));
  const nameOf = (resource: string) => `${prefix}-${resource}`;
  const tableName = (name: TableName) => restoredTables[name] ?? nameOf(name);
  const resources = await createResources({
    nameOf,
    queueEndpoint: emulators.environment.AWS_ENDPOINT_URL_SQS ?? "",
    nowSeconds: toSeconds(clock()),
  });

  const sockets = new OpenSockets(onPost, frames);
  const connectionsApi = await startConnectionsApi(sockets);
  const relayQueues = `${resources.queues.events.url.replace(/[^/]*$/, "")}${nameOf("relay-")}`;
  const publicUrl = Promise.withResolvers<string>();
  const { entranceSecret } = resources;
  const functions = createFunctions({
    settingsFile,
    publicUrl: publicUrl.promise,
    socketsEndpoint: connectionsApi.url,
    relayQueues,
    nameOf,
    tableName,
    resources,
    clock,
    hasInstancePerEvent,
    logLevel,
  });
  const invoke = async (name: string, event: unknown) => {
    const target = functions.get(name);
    if (target === undefined) throw new Error(`There is no function ${name}`);
    return target.invoke(event);
  };

  const running: Background[] = [];
  const stop = async () => {
    await Promise.all(running.map((background) => background.stop()));
    await connectionsApi.stop();
    resources.release();
    rmSync(settingsFile, { force: true });
  };
  try {
    const frameLog = new FrameLog((event) => invoke(socketLogFunction, event), onFunctionError);
    const socketGateway = createSocketGateway({
      sockets,
      functionName: socketFunction,
      entranceSecret,
      invoke: (event) => invoke(socketFunction, event),
      frameLog,
      clock,
      limits: socketLimits,
      onRequest,
      report: onFunctionError,
    });
    running.push(socketGateway, frameLog);
    const relay =
      socketMode === "relay"
        ? await startLocalRelay({
            invoke: (event) => invoke(socketFunction, event),
            functionName: socketFunction,
            relays: new RelayStore(storeContext({ config: { tableName, settings }, clock })),
            queues: relayQueues,
            isAlone,
            entranceSecret,
            clock,
            onRequest,
            onPost,
          })
        : undefined;
    if (relay !== undefined) running.push({ stop: () => relay.drain(0) });
    const gateway = { families, clock, invoke, onRequest, report: onFunctionError };
    const { corsAllowedOrigins } = settings;
    const publicApi = await startGateway({
      ...gateway,
      audience: "public",
      port: ports.public,
      host,
      corsAllowedOrigins,
      hasPlainCookies,
      entranceSecret,
      onUpgrade: (relay ?? socketGateway).upgrade,
    });
    running.push(publicApi);
    publicUrl.resolve(publicApi.url);
    const internalApi = await startGateway({
      ...gateway,
      audience: "internal",
      port: ports.internal,
      corsAllowedOrigins: [],
    });
    const triggers = { resources, settings, runsSchedulesAtStart, invoke, report: onFunctionError };
    running.push(internalApi, ...startTriggers(triggers));
    running.push(startExpirySweeper({ resources, tableName, clock, report: onFunctionError }));
    if (isPreloaded) running.push(preload(functions));
    const queueUrls = Object.fromEntries(
      Object.entries(resources.queues).map(([name, { url }]) => [name, url]),
    ) as LocalStack["queueUrls"];
    const urls = { publicUrl: publicApi.url, internalUrl: internalApi.url };
    return { ...urls, invoke, entranceSecret, settings, queueUrls, tableName, prefix, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createFunctions({
  settingsFile,
  publicUrl,
  socketsEndpoint,
  relayQueues,
  nameOf,
  tableName,
  resources,
  clock,
  hasInstancePerEvent,
  logLevel,
}: {
  settingsFile: string;
  publicUrl: Promise<string>;
  socketsEndpoint: string;
  relayQueues: string;
  nameOf: (resource: string) => string;
  tableName: (name: TableName) => string;
  resources: Resources;
  clock: Clock;
  hasInstancePerEvent: boolean;
  logLevel: string;
}): ReadonlyMap<string, LocalFunction> {
  const docsAssets = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  return new Map(
    [...families, ...workers].map((manifest) => {
      const environment = async () =>
        functionEnvironment(manifest, {
          settingsFile,
          publicUrl: await publicUrl,
          docsAssets,
          logLevel,
          socketsEndpoint,
          relayQueues,
          hasEntrance: true,
          tableName,
          bucketName: nameOf,
          queueUrl: (queue) => resources.queues[queue].url,
          secretId: nameOf,
        });
      const { name } = manifest;
      return [
        name,
        createLocalFunction({ manifest, nameOf, tableName, environment, clock, hasInstancePerEvent }),
      ];
    }),
  );
}

/** Start queue workers and schedules; local secrets never get old enough to be rotated. */
function startTriggers({
  resources,
  settings,
  runsSchedulesAtStart,
  invoke,
  report,
}: {
  resources: Resources;
  settings: Settings;
  runsSchedulesAtStart: boolean;
  invoke: LocalStack["invoke"];
  report: Report;
}): Background[] {
  return workers.flatMap(({ name, trigger, isClient }) => {
    if ("queue" in trigger) {
      const { batchSize, concurrency }: QueueSpec & { batchSize: number } = queues[trigger.queue];
      return startQueuePoller({
        client: resources.sqs,
        queue: resources.queues[trigger.queue],
        batchSize,
        concurrency,
        invoke: (event) => invoke(name, event),
        report,
      });
    }
    // Whoever runs a stack here is the client.
    if ("everySeconds" in trigger && !isClient) {
      // On AWS a schedule runs once a minute at most; here nobody should have to wait that long for a resend.
      const { everySeconds } = trigger;
      const seconds = everySeconds > 60 ? everySeconds : Math.min(everySeconds, settings.outboxResendSeconds);
      const run = () => invoke(name, scheduledEvent());
      return startTimer(seconds, run, { report, runsAtStart: runsSchedulesAtStart });
    }
    return [];
  });
}

function startExpirySweeper({
  resources,
  tableName,
  clock,
  report,
}: {
  resources: Resources;
  tableName: (name: TableName) => string;
  clock: Clock;
  report: Report;
}): Background {
  const sweep = async () => {
    for (const [name, spec] of tableSpecs) {
      await deleteExpired(resources.dynamodb, tableName(name), spec, toSeconds(clock()));
    }
  };
  return startTimer(expirySweepSeconds, sweep, { report });
}

/** Loads every function after the start, so that the first request does not wait for it. */
function preload(functions: ReadonlyMap<string, LocalFunction>): Background {
  let isStopping = false;
  const load = async () => {
    for (const target of functions.values()) {
      if (isStopping) return;
      await target.load().catch((error) => console.error(error));
    }
  };
  const loaded = load();
  return {
    stop() {
      isStopping = true;
      return loaded;
    },
  };
}

const scheduledEvent = (): ScheduledEvent => ({
  version: "0",
  id: randomUUID(),
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "000000000000",
  time: new Date().toISOString(),
  region: process.env.AWS_REGION ?? "",
  resources: [],
  detail: {},
});
