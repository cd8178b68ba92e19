import { appendFileSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { startConsole } from "#lib/local/console/console.ts";
import { startEmulators } from "#lib/local/emulators/emulators.ts";
import { createResources, type Resources } from "#lib/local/emulators/resources.ts";
import type { LocalServer } from "#lib/local/gateway/http-server.ts";
import { enforceGrants } from "#lib/local/grants.ts";
import { type Instance, type InstanceOptions, startInstance } from "#lib/local/instance.ts";
import { carryLineage } from "#lib/local/lineage.ts";
import { startConnectionsApi } from "#lib/local/sockets/connections-api.ts";
import { OpenSockets } from "#lib/local/sockets/open-sockets.ts";
import type { LocalStack } from "#lib/local/stack.ts";
import type { Background } from "#lib/local/timer.ts";
import { startSchedules } from "#lib/local/triggers.ts";
import { systemClock, toSeconds } from "#shared/platform/clock.ts";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import { parseSettings, type Settings } from "#shared/registry/settings.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { callInProcess } from "./in-process-calls.ts";
import { QueueWorkers, type WorkerTarget } from "./queue-workers.ts";
import { recordItems } from "./record-items.ts";
import { socketMode } from "./socket-mode.ts";
import { testSettings } from "./test-settings.ts";
import { storeUnknownFields } from "./unknown-fields.ts";

/** Prefix of the names of the resources that all tests of a worker share. */
export const sharedPrefix = "test";

/**
 * A stack in the thread of the tests, which the test files of one worker share; tests are isolated by having their own
 * users. Its tables are in another process, everything else is in this thread. Schedules do not run.
 */
export interface SharedStack
  extends Pick<
    LocalStack,
    | "publicUrl"
    | "internalUrl"
    | "invoke"
    | "entranceSecret"
    | "settings"
    | "queueUrls"
    | "tableName"
    | "prefix"
  > {
  readonly clock: () => number;
  /** Address of its dev console. */
  readonly consoleUrl: string;
  /** The messages that it has sent. */
  readonly messages: Awaited<ReturnType<typeof startEmulators>>["messages"];
  /** Environment variables that point the AWS SDK to the emulators. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folder for files of stacks. */
  readonly folder: string;
}

/** The parts of the shared stack that its variants need. */
interface Ground {
  readonly resources: Resources;
  readonly workers: QueueWorkers;
  readonly emulators: Awaited<ReturnType<typeof startEmulators>>;
  readonly sockets: OpenSockets;
  readonly connectionsApi: LocalServer;
  /** The functions of the shared stack and its variants, by name. */
  readonly instances: Map<string, Instance>;
}

let ground: Ground | undefined;
let running: SharedStack | undefined;

/** Start the stack of this worker, unless an earlier test file has. */
export async function useSharedStack(): Promise<void> {
  if (running === undefined) await start();
  // A test may have changed them.
  Object.assign(process.env, running?.environment, { LOG_LEVEL: "CRITICAL" });
}

async function start(): Promise<void> {
  callInProcess();
  await observeItems();
  const instances = new Map<string, Instance>();
  const workers = await QueueWorkers.start();
  const folder = mkdtempSync(join(inject("folder"), "worker-"));
  const emulators = await startEmulators();
  Object.assign(process.env, emulators.environment);
  const resources = await createResources({
    nameOf: (resource) => `${sharedPrefix}-${resource}`,
    queueEndpoint: emulators.environment.AWS_ENDPOINT_URL_SQS ?? "",
    nowSeconds: toSeconds(Date.now()),
  });
  workers.work(sharedPrefix, {
    // Called by a worker with the same settings and clock as the sender, unless the sender's test file has ended.
    invoke: async (worker, event, sender = sharedPrefix) => instances.get(sender)?.invoke(worker, event),
    report: console.error,
  });
  const sockets = new OpenSockets();
  const connectionsApi = await startConnectionsApi(sockets);
  ground = { resources, workers, emulators, sockets, connectionsApi, instances };
  enforceGrants();
  carryLineage();
  const settings = parseSettings(testSettings);
  const instance = await startSharedInstance(sharedPrefix, { settings, clock: systemClock });
  const stack = { ...instance, ...resourcesOf(resources), settings, clock: systemClock, folder };
  const { url: consoleUrl } = await startConsole({ emulators, stack, port: 0 });
  running = { ...stack, consoleUrl };
}

/** Do what the variables of a run ask for: note which unknown fields get lost, or record samples of items. */
async function observeItems(): Promise<void> {
  const { UNKNOWN_FIELDS, RECORD_ITEMS } = process.env;
  if (UNKNOWN_FIELDS !== undefined) {
    const losses = new Set<string>();
    storeUnknownFields(sharedPrefix, (loss) => {
      if (!losses.has(loss)) appendFileSync(UNKNOWN_FIELDS, `${loss}\n`);
      losses.add(loss);
    });
  }
  if (RECORD_ITEMS !== undefined) finishRecording = await recordItems(RECORD_ITEMS);
}

let finishRecording: (() => Promise<void>) | undefined;

/** Write what has been recorded so far. */
export const writeRecorded = async (): Promise<void> => finishRecording?.();

/** The part of the shared resources that a stack on them uses. */
function resourcesOf(resources: Resources) {
  const { emulators } = ground as Ground;
  return {
    prefix: sharedPrefix,
    entranceSecret: resources.entranceSecret,
    tableName: (name: TableName) => `${sharedPrefix}-${name}`,
    queueUrls: Object.fromEntries(
      (Object.keys(queues) as QueueName[]).map((name) => [name, resources.queues[name].url]),
    ) as LocalStack["queueUrls"],
    messages: emulators.messages,
    environment: emulators.environment,
  };
}

/** Start functions with settings and a clock of their own on the resources of the shared stack. */
async function startSharedInstance(
  name: string,
  options: Pick<InstanceOptions, "settings" | "clock"> & Partial<InstanceOptions>,
): Promise<Instance> {
  const { resources, sockets, connectionsApi, instances, emulators } = ground as Ground;
  const instance = await startInstance({
    name,
    prefix: sharedPrefix,
    resources,
    tableName: (table) => `${sharedPrefix}-${table}`,
    folder: emulators.folder,
    sockets,
    socketsEndpoint: connectionsApi.url,
    ports: { public: 0, internal: 0 },
    socketMode: socketMode(),
    logLevel: "CRITICAL",
    onFunctionError: console.error,
    ...options,
  });
  instances.set(name, instance);
  return instance;
}

/** The stack of this worker. @throws Error outside end-to-end tests */
export function sharedStack(): SharedStack {
  if (running === undefined) throw new Error("Only end-to-end tests have a stack");
  return running;
}

/** The workers of the shared stack and its variants. */
export function queueWorkers(): QueueWorkers | undefined {
  return ground?.workers;
}

/** Hand the messages of a stack in this thread to its workers, without pollers. */
export const startQueueWorkers = (prefix: string, { invoke, report }: WorkerTarget): Background[] => [
  (ground as Ground).workers.work(prefix, { invoke, report }),
];

const variants = new Map<string, Background[]>();

/**
 * Start a variant of the shared stack: the same tables and queues, but functions with other settings, or another clock. It
 * stops at the end of the test file.
 */
export async function startVariant(
  name: string,
  settings: Settings,
  {
    runsSchedules,
    ...options
  }: Pick<InstanceOptions, "clock"> & Partial<InstanceOptions> & { runsSchedules: boolean },
): Promise<SharedStack> {
  const instance = await startSharedInstance(name, { ...options, settings });
  const { invoke } = instance;
  const { onFunctionError: report = console.error } = options;
  const schedules = runsSchedules ? startSchedules({ settings, invoke, report }) : [];
  variants.set(name, [...schedules, instance]);
  return { ...sharedStack(), ...instance, settings, clock: options.clock };
}

/** Stop the variants that a test file has started. */
export async function stopVariants(): Promise<void> {
  const stopping = [...variants];
  variants.clear();
  for (const [name] of stopping) ground?.instances.delete(name);
  await Promise.all(stopping.flatMap(([, parts]) => parts.map((part) => part.stop())));
}
