import { randomUUID } from "node:crypto";
import type { Context } from "aws-lambda";
import type { Clock } from "#shared/platform/clock.ts";
import { type Config, readConfig } from "#shared/platform/config.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { type FunctionManifest, folderOf, modulesOf } from "../function-modules.ts";
import { uploadTimes } from "../uploads/receive-upload.ts";
import { continueLineage } from "./lineage.ts";
import { type RunningFunction, runningFunction } from "./running-function.ts";

type Handler = (event: unknown, context: Context) => Promise<unknown>;

type Factory = (modules: object, config: Config, overrides: { clock: Clock }) => Handler;

export interface LocalFunction {
  /** Load the code ahead of the first event. */
  load(): Promise<unknown>;
  invoke(event: unknown): Promise<unknown>;
}

const timeoutMilliseconds = 30_000;
const account = "000000000000";

/**
 * Create a function that runs as on Lambda: loaded at its first event, and with only its own environment. Nothing
 * interrupts an event that exceeds its time limit.
 */
export function createLocalFunction({
  manifest,
  instance: instanceName,
  nameOf,
  tableName,
  environment,
  clock,
  hasInstancePerEvent,
}: {
  manifest: FunctionManifest;
  /** The set of functions that it belongs to. */
  instance: string;
  /** Name of the function, and of its resources in the emulators. */
  nameOf: (resource: string) => string;
  tableName: (name: TableName) => string;
  environment: () => Promise<Readonly<Record<string, string>>>;
  clock: Clock;
  /**
   * Whether each concurrent event has its own instance, with its own clients and caches, as on Lambda. A single
   * instance starts once and needs less memory.
   */
  hasInstancePerEvent: boolean;
}): LocalFunction {
  /** Idle instances. */
  const idle: Promise<Handler>[] = [];

  async function loadHandler(): Promise<Handler> {
    const { factory, parts } = modulesOf(manifest);
    const files = Object.keys(parts).map((file) => `${folderOf(manifest)}/${file}`);
    const [factoryModule, ...modules] = await Promise.all([factory.module, ...files].map(importFile));
    const create = factoryModule?.[factory.name] as Factory;
    return create(Object.assign({}, ...modules), readConfig(await environment()), { clock });
  }

  /** An instance, which stays idle unless it is reserved for an event. */
  function instance(isReserved: boolean): Promise<Handler> {
    const found = (isReserved ? idle.pop() : idle[0]) ?? loadHandler();
    if (!isReserved && idle.length === 0) idle.push(found);
    return found;
  }

  return {
    load: () => instance(false),
    async invoke(event) {
      const traceHeader = continueLineage(manifest.name, event);
      const handler = instance(hasInstancePerEvent);
      try {
        const handle = await handler;
        const running: RunningFunction = { manifest, instance: instanceName, nameOf, tableName, traceHeader };
        const result = await runningFunction.run(running, () =>
          handle(event, createContext(nameOf(manifest.name), timeLimitOf(event))),
        );
        checkRecorded(running, result);
        return result;
      } finally {
        if (hasInstancePerEvent) idle.push(handler);
      }
    },
  };
}

/**
 * @throws Error when a request has changed something audited without a record, or with a record that
 *   has no target
 */
function checkRecorded(
  { manifest, changedTable, hasEmptyTarget, hasEmptyRefusal, isRecorded }: RunningFunction,
  result: unknown,
): void {
  const { statusCode = 500 } = Object(result) as { statusCode?: number };
  // A refused request may have tried to write a record.
  if (hasEmptyRefusal || (hasEmptyTarget && statusCode < 400))
    throw new Error(`${manifest.name} wrote a record without a target: say it with \`describeAudited\``);
  if (changedTable !== undefined && !isRecorded && statusCode < 300)
    throw new Error(
      `${manifest.name} changed ${changedTable} without a record: use \`commit\` or \`change\``,
    );
}

/** @param file path relative to the root of the project */
const importFile = (file: string): Promise<Readonly<Record<string, unknown>>> =>
  import(new URL(`../../${file}`, import.meta.url).href);

/**
 * A relay runs the code that reads an upload while it arrives, so no limit of Lambda applies, only that of the upload.
 */
const timeLimitOf = (event: unknown): number =>
  "stream" in Object(event) ? uploadTimes.longest * 1000 : timeoutMilliseconds;

function createContext(functionName: string, milliseconds: number): Context {
  const deadline = Date.now() + milliseconds;
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
  return {
    awsRequestId: randomUUID(),
    functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:local:${account}:function:${functionName}`,
    memoryLimitInMB: "512",
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: `${day}/[$LATEST]local`,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done() {},
    fail() {},
    succeed() {},
  };
}
