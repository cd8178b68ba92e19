// Runs a stack and nothing else, so that its CPU time is that of gateway, functions and workers.
// Forked by forked-stack.ts: takes `StackCommand`s and answers each with a `StackReport`.
import { startStack } from "#lib/local/stack.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";

export type StackCommand =
  | {
      readonly command: "start";
      readonly settings: SettingsInput;
      readonly prefix: string;
      readonly folder: string;
      readonly environment: Readonly<Record<string, string>>;
    }
  | { readonly command: "advance"; readonly seconds: number }
  | { readonly command: "report" };

export interface StackReport {
  readonly publicUrl: string;
  readonly internalUrl: string;
  /** CPU time of the process since its start. */
  readonly cpuSeconds: number;
  /** Memory of the process that is not swapped out. */
  readonly memoryMegabytes: number;
  /** Requests to the public API since the last report: time from the request to the end of its response. */
  readonly handlerMilliseconds: readonly number[];
}

let offset = 0;
let handlerMilliseconds: number[] = [];
let stack: Awaited<ReturnType<typeof startStack>> | undefined;

process.on("message", async (message: StackCommand) => {
  if (message.command === "start") {
    Object.assign(process.env, message.environment);
    stack = await startStack({
      settings: message.settings,
      prefix: message.prefix,
      emulators: message,
      clock: () => Date.now() + offset,
      onRequest: ({ api, milliseconds }) => {
        if (api === "public") handlerMilliseconds.push(milliseconds);
      },
    });
  } else if (message.command === "advance") {
    offset += message.seconds * 1000;
  }
  const { user, system } = process.cpuUsage();
  const report: StackReport = {
    publicUrl: stack?.publicUrl ?? "",
    internalUrl: stack?.internalUrl ?? "",
    cpuSeconds: (user + system) / 1e6,
    memoryMegabytes: process.memoryUsage.rss() / 2 ** 20,
    handlerMilliseconds,
  };
  handlerMilliseconds = [];
  process.send?.(report);
});

// The parent no longer needs it, or has died.
process.on("disconnect", () => stack?.stop());
