// Runs a stack and nothing else, so that its CPU time is that of gateway, functions and workers.
// Forked by forked-stack.ts: takes `StackCommand`s and answers each with a `StackReport`.
import { setTimeout as pause } from "node:timers/promises";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { runningFunction } from "#lib/local/running-function.ts";
import { startStack } from "#lib/local/stack.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { quietMilliseconds } from "./quiet.ts";

export type StackCommand =
  | {
      readonly command: "start";
      readonly settings: SettingsInput;
      readonly prefix: string;
      readonly folder: string;
      readonly environment: Readonly<Record<string, string>>;
      /** Whether each concurrent event has its own instance; by default, they share one. */
      readonly hasInstancePerEvent?: boolean;
    }
  | { readonly command: "advance"; readonly seconds: number }
  /** Count the AWS calls from now on. */
  | { readonly command: "count-calls" }
  /** Report once queues have been empty for a moment; before that, collect garbage if the process may request it. */
  | { readonly command: "settle" }
  | { readonly command: "report" };

export interface StackReport {
  readonly publicUrl: string;
  readonly internalUrl: string;
  /** CPU time of the process since its start. */
  readonly cpuSeconds: number;
  /** Memory of the process that is not swapped out. */
  readonly memoryMegabytes: number;
  /** Memory of its JavaScript objects. */
  readonly heapMegabytes: number;
  /** AWS calls since counting began, by caller and action, such as `fan-out Query`. */
  readonly awsCalls: Readonly<Record<string, number>>;
  /** Requests to the public API since the last report: time from the request to the end of its response. */
  readonly handlerMilliseconds: readonly number[];
}

let offset = 0;
let handlerMilliseconds: number[] = [];
let stack: Awaited<ReturnType<typeof startStack>> | undefined;
const awsCalls: Record<string, number> = {};

/** Not counted: pollers of empty queues wait in this call. */
const longPoll = "ReceiveMessage";

function countCalls(): void {
  interceptAwsCalls((call, send) => {
    if (call.action !== longPoll) {
      const caller = runningFunction.getStore()?.manifest.name ?? "pollers";
      const name = `${caller} ${call.action}`;
      awsCalls[name] = (awsCalls[name] ?? 0) + 1;
    }
    return send();
  });
}

const longestStopMilliseconds = 10_000;

async function settle(): Promise<void> {
  const total = () => Object.values(awsCalls).reduce((sum, count) => sum + count, 0);
  let before: number;
  do {
    before = total();
    await pause(quietMilliseconds);
  } while (total() > before);
  globalThis.gc?.();
}

process.on("message", async (message: StackCommand) => {
  if (message.command === "start") {
    Object.assign(process.env, message.environment);
    stack = await startStack({
      settings: message.settings,
      prefix: message.prefix,
      hasInstancePerEvent: message.hasInstancePerEvent,
      emulators: message,
      clock: () => Date.now() + offset,
      onRequest: ({ api, milliseconds }) => {
        if (api === "public") handlerMilliseconds.push(milliseconds);
      },
    });
  } else if (message.command === "advance") {
    offset += message.seconds * 1000;
  } else if (message.command === "count-calls") {
    countCalls();
  } else if (message.command === "settle") {
    await settle();
  }
  const { user, system } = process.cpuUsage();
  const report: StackReport = {
    publicUrl: stack?.publicUrl ?? "",
    internalUrl: stack?.internalUrl ?? "",
    cpuSeconds: (user + system) / 1e6,
    memoryMegabytes: process.memoryUsage.rss() / 2 ** 20,
    heapMegabytes: process.memoryUsage().heapUsed / 2 ** 20,
    awsCalls: { ...awsCalls },
    handlerMilliseconds,
  };
  handlerMilliseconds = [];
  process.send?.(report);
});

// The parent no longer needs this process, or has died. In the latter case, the emulators are gone, too, and the stack
// may never stop by itself.
process.on("disconnect", () => {
  setTimeout(() => process.exit(), longestStopMilliseconds).unref();
  return stack?.stop();
});
