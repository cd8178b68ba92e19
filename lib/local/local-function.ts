import { randomUUID } from "node:crypto";
import type { Context } from "aws-lambda";
import type { Clock } from "#shared/clock.ts";
import { type Config, readConfig } from "#shared/config.ts";

type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** What every folder below `functions/` exports from its `app.ts`. */
interface App {
  createApp(config: Config, overrides?: { clock?: Clock }): Handler;
}

export interface LocalFunction {
  /** Load the code ahead of the first event. */
  load(): Promise<unknown>;
  invoke(event: unknown): Promise<unknown>;
}

const timeoutMilliseconds = 30_000;
const account = "000000000000";

/**
 * A function as Lambda runs it: loaded at its first event, with nothing but its own environment.
 * One instance takes all events, also concurrent ones, and nothing interrupts one that overruns its time.
 */
export function createLocalFunction({
  name,
  deployedName,
  environment,
  clock,
}: {
  /** Folder below `functions/`. */
  name: string;
  deployedName: string;
  environment: () => Promise<Readonly<Record<string, string>>>;
  clock: Clock;
}): LocalFunction {
  let handler: Promise<Handler> | undefined;

  async function loadHandler(): Promise<Handler> {
    const app: App = await import(new URL(`../../functions/${name}/app.ts`, import.meta.url).href);
    return app.createApp(readConfig(await environment()), { clock });
  }

  function load(): Promise<Handler> {
    handler ??= loadHandler();
    return handler;
  }

  return {
    load,
    invoke: async (event) => (await load())(event, createContext(deployedName)),
  };
}

function createContext(functionName: string): Context {
  const deadline = Date.now() + timeoutMilliseconds;
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
