import { type Clock, systemClock, toSeconds } from "#shared/platform/clock.ts";
import type { QueueName } from "#shared/registry/queues.ts";
import { parseSettings, type Settings, type SettingsInput } from "#shared/registry/settings.ts";
import type { TableName } from "#shared/registry/tables.ts";
import type { Audience } from "../gateway-routes.ts";
import type { Emulators } from "./emulators/emulators.ts";
import { createResources } from "./emulators/resources.ts";
import type { LoggedRequest } from "./gateway/request-log.ts";
import { enforceGrants } from "./grants.ts";
import { type SocketMode, startInstance } from "./instance.ts";
import { carryLineage } from "./lineage.ts";
import { startConnectionsApi } from "./sockets/connections-api.ts";
import { type FrameKind, OpenSockets } from "./sockets/open-sockets.ts";
import type { SocketPost } from "./sockets/post-log.ts";
import type { SocketLimits } from "./sockets/socket-gateway.ts";
import { type Background, printError, type Report } from "./timer.ts";
import { startExpirySweeper, startQueuePollers, startSchedules } from "./triggers.ts";

/** Options of a local stack. */
export interface LocalStackOptions {
  readonly settings: SettingsInput;
  /** Separates its tables, queues and secrets from those of other stacks in the same emulators. */
  readonly prefix: string;
  /** The emulators, which another process may have started. */
  readonly emulators: Pick<Emulators, "environment" | "folder">;
  /** 0, the default, takes any free port. */
  readonly ports?: Readonly<Record<Audience, number>>;
  /**
   * Address of this machine at which the public API and sockets are served; the default, 127.0.0.1, is only reached
   * from this machine.
   */
  readonly host?: string;
  /** Whether cookies lose `Secure`, because clients come without TLS; false by default. */
  readonly hasPlainCookies?: boolean;
  readonly clock?: Clock;
  readonly socketLimits?: SocketLimits;
  /** Whether the emulation of API Gateway, by default, or a relay holds the sockets of the public port. */
  readonly sockets?: SocketMode;
  /** Whether no other stack works on the same data. */
  readonly isAlone?: boolean;
  /** Kind of frames that clients of emulated sockets get; binary by default. */
  readonly frames?: FrameKind;
  readonly onRequest?: (request: LoggedRequest) => void;
  /** Called with each frame that functions post to open sockets. */
  readonly onPost?: (post: SocketPost) => void;
  /**
   * Whether to load all functions after the start, so that no request waits; otherwise, each is loaded at its first
   * event.
   */
  readonly isPreloaded?: boolean;
  /** Whether to run all schedules once at the start: the periods of some are longer than many runs on a laptop. */
  readonly runsSchedulesAtStart?: boolean;
  /** Restored tables, which replace those with the prefix. */
  readonly restoredTables?: Readonly<Partial<Record<TableName, string>>>;
  /** Whether each concurrent event of a function has its own instance, as on Lambda; by default, they share one. */
  readonly hasInstancePerEvent?: boolean;
  /** Level of the functions' logs; by default that of `LOG_LEVEL`, or `WARN`. */
  readonly logLevel?: string;
  /** Called with what a function throws, which is printed by default. */
  readonly onFunctionError?: Report;
  /** Starts the workers of its queues; by default behind pollers, as on Lambda. */
  readonly startQueueWorkers?: typeof startQueuePollers;
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
  /** Prefix of the names of its tables, buckets and queues. */
  readonly prefix: string;
  /** Resolves when its servers, workers and timers have ended. Its data stays in the emulators. */
  stop(): Promise<void>;
}

/**
 * Run every function on this machine: resources in the emulators, both HTTP APIs, the WebSocket API on the port of the
 * public one, queue workers and schedules. Functions may write only to the tables and buckets that their manifests
 * allow. The AWS SDK takes its endpoints from `process.env`: assign `emulators.environment` to it first.
 *
 * @throws SetupError when a port is taken
 * @throws InvalidSettingsError naming each wrong setting
 */
export async function startStack({
  settings: settingsInput,
  prefix,
  emulators,
  ports = { public: 0, internal: 0 },
  clock = systemClock,
  sockets: socketMode = "gateway",
  frames,
  onPost,
  isPreloaded = true,
  runsSchedulesAtStart = false,
  restoredTables = {},
  logLevel = process.env.LOG_LEVEL ?? "WARN",
  onFunctionError = printError,
  startQueueWorkers = startQueuePollers,
  ...options
}: LocalStackOptions): Promise<LocalStack> {
  enforceGrants();
  carryLineage();
  const settings = parseSettings(settingsInput);
  const nameOf = (resource: string) => `${prefix}-${resource}`;
  const tableName = (name: TableName) => restoredTables[name] ?? nameOf(name);
  const resources = await createResources({
    nameOf,
    queueEndpoint: emulators.environment.AWS_ENDPOINT_URL_SQS ?? "",
    nowSeconds: toSeconds(clock()),
  });
  const sockets = new OpenSockets(onPost, frames);
  const connectionsApi = await startConnectionsApi(sockets);
  const running: Background[] = [];
  const stop = async () => {
    await Promise.all(running.map((background) => background.stop()));
    await connectionsApi.stop();
    resources.release();
  };
  try {
    const instance = await startInstance({
      ...options,
      settings,
      clock,
      folder: emulators.folder,
      name: prefix,
      prefix,
      resources,
      tableName,
      sockets,
      socketsEndpoint: connectionsApi.url,
      ports,
      socketMode,
      onPost,
      logLevel,
      onFunctionError,
    });
    const { publicUrl, internalUrl, invoke } = instance;
    const report = onFunctionError;
    running.push(
      instance,
      ...startQueueWorkers({ resources, invoke, report }),
      ...startSchedules({ settings, runsAtStart: runsSchedulesAtStart, invoke, report }),
    );
    running.push(startExpirySweeper({ resources, tableName, clock, report }));
    if (isPreloaded) running.push(instance.preload());
    const queueUrls = Object.fromEntries(
      Object.entries(resources.queues).map(([name, { url }]) => [name, url]),
    ) as LocalStack["queueUrls"];
    const { entranceSecret } = resources;
    return { publicUrl, internalUrl, invoke, entranceSecret, settings, queueUrls, tableName, prefix, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
