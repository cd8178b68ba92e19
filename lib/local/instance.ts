import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { families, workers } from "#functions/families.ts";
import { RelayStore } from "#shared/events/sockets/relay-store.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { TableName } from "#shared/registry/tables.ts";
import type { Audience } from "../gateway-routes.ts";
import { socketFunction, socketLogFunction } from "../socket-paths.ts";
import type { Resources } from "./emulators/resources.ts";
import { functionEnvironment } from "./function-environment.ts";
import { startGateway } from "./gateway/gateway.ts";
import type { LocalServer } from "./gateway/http-server.ts";
import type { LoggedRequest } from "./gateway/request-log.ts";
import { createLocalFunction, type LocalFunction } from "./local-function.ts";
import { FrameLog } from "./sockets/frame-log.ts";
import { startLocalRelay } from "./sockets/local-relay.ts";
import type { OpenSockets } from "./sockets/open-sockets.ts";
import type { SocketPost } from "./sockets/post-log.ts";
import { createSocketGateway, type SocketLimits } from "./sockets/socket-gateway.ts";
import type { Background, Report } from "./timer.ts";

/** Whether the emulation of API Gateway or a relay holds the sockets of a stack. */
export type SocketMode = "gateway" | "relay";

/** Options for running the functions of a stack, and for reaching them. */
export interface InstanceOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Folder for the file of its settings. */
  readonly folder: string;
  /** Separates its names from those of other instances on the same resources. */
  readonly name: string;
  /** Prefix of the names of its tables, buckets and queues. */
  readonly prefix: string;
  readonly resources: Resources;
  readonly tableName: (name: TableName) => string;
  readonly sockets: OpenSockets;
  /** Address of the `@connections` API. */
  readonly socketsEndpoint: string;
  readonly ports: Readonly<Record<Audience, number>>;
  readonly host?: string | undefined;
  readonly hasPlainCookies?: boolean | undefined;
  readonly socketMode: SocketMode;
  readonly socketLimits?: SocketLimits | undefined;
  readonly isAlone?: boolean;
  readonly hasInstancePerEvent?: boolean;
  readonly onRequest?: ((request: LoggedRequest) => void) | undefined;
  readonly onPost?: ((post: SocketPost) => void) | undefined;
  readonly logLevel: string;
  readonly onFunctionError: Report;
}

/** The functions of a stack, with the servers through which they are called. */
export interface Instance {
  readonly publicUrl: string;
  readonly internalUrl: string;
  /** Call a function as its trigger would. */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /** Load every function, so that no request waits for it. */
  preload(): Background;
  stop(): Promise<void>;
}

/** Load functions on demand, with one set of settings and one clock, and serve both APIs and the sockets. */
export async function startInstance({
  settings,
  clock,
  folder,
  name,
  prefix,
  resources,
  tableName,
  sockets,
  socketsEndpoint,
  ports,
  host,
  hasPlainCookies,
  socketMode,
  socketLimits,
  isAlone = false,
  hasInstancePerEvent = false,
  onRequest,
  onPost,
  logLevel,
  onFunctionError: report,
}: InstanceOptions): Promise<Instance> {
  const settingsFile = join(folder, `${name}-settings.json`);
  writeFileSync(settingsFile, JSON.stringify(settings));
  const nameOf = (resource: string) => `${prefix}-${resource}`;
  const relayQueues = `${resources.queues.events.url.replace(/[^/]*$/, "")}${nameOf("relay-")}`;
  const publicUrl = Promise.withResolvers<string>();
  const { entranceSecret } = resources;
  const functions = createFunctions({
    settingsFile,
    publicUrl: publicUrl.promise,
    socketsEndpoint,
    relayQueues,
    instance: name,
    nameOf,
    tableName,
    resources,
    clock,
    hasInstancePerEvent,
    logLevel,
  });
  const invoke = async (functionName: string, event: unknown) => {
    const target = functions.get(functionName);
    if (target === undefined) throw new Error(`There is no function ${functionName}`);
    return target.invoke(event);
  };

  const running: Background[] = [];
  const stop = async () => {
    await Promise.all(running.map((background) => background.stop()));
    await rm(settingsFile, { force: true });
  };
  try {
    const frameLog = new FrameLog((event) => invoke(socketLogFunction, event), report);
    const socketGateway = createSocketGateway({
      sockets,
      functionName: socketFunction,
      entranceSecret,
      invoke: (event) => invoke(socketFunction, event),
      frameLog,
      clock,
      ...(socketLimits && { limits: socketLimits }),
      ...(onRequest && { onRequest }),
      report,
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
    const gateway = { families, clock, invoke, ...(onRequest && { onRequest }), report };
    const publicApi: LocalServer = await startGateway({
      ...gateway,
      audience: "public",
      port: ports.public,
      ...(host !== undefined && { host }),
      corsAllowedOrigins: settings.corsAllowedOrigins,
      ...(hasPlainCookies !== undefined && { hasPlainCookies }),
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
    running.push(internalApi);
    return {
      publicUrl: publicApi.url,
      internalUrl: internalApi.url,
      invoke,
      preload: () => preload(functions),
      stop,
    };
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
  instance,
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
  instance: string;
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
        createLocalFunction({
          manifest,
          instance,
          nameOf,
          tableName,
          environment,
          clock,
          hasInstancePerEvent,
        }),
      ];
    }),
  );
}

/** Loads every function after the start, so that the first request does not wait for its function. */
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
