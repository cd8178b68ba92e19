import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { apiAt } from "./api.ts";
import type { Apis } from "./users.ts";

/** The runner as a developer starts it, in a process of its own, on a folder that outlives it. */
export interface Runner extends Apis {
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly consoleUrl: string;
  readonly process: ChildProcess;
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
  kill(): Promise<void>;
}

/**
 * Start the runner on a data folder, which contains its `settings.json`.
 * @param options.host address that other machines reach
 * @param options.environment addresses of services that it should not start itself, and what `module` reads
 * @param options.module file beside this one that is loaded ahead of it
 */
export async function startRunner(
  folder: string,
  {
    host = "127.0.0.1",
    environment = {},
    module,
  }: { host?: string; environment?: Record<string, string>; module?: string } = {},
): Promise<Runner> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("AWS_"));
  const settingsFile = join(folder, "settings.json");
  const options = ["--data", folder, "--host", host, "--port", "0", "--settings", settingsFile];
  const flags = module === undefined ? [] : ["--import", new URL(module, import.meta.url).href];
  const child = spawn(process.execPath, [...flags, "bin/local.ts", ...options], {
    env: { ...Object.fromEntries(inherited), ...environment, LOG_LEVEL: "CRITICAL" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const complaints = text(child.stderr);
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  for await (const line of createInterface(child.stdout)) {
    const [publicUrl, internalUrl, consoleUrl] = line.match(/http:\/\/\S+/g) ?? [];
    if (publicUrl === undefined || internalUrl === undefined || consoleUrl === undefined) continue;
    return {
      publicApi: apiAt(publicUrl),
      internalApi: apiAt(internalUrl),
      publicUrl,
      internalUrl,
      consoleUrl,
      process: child,
      ended,
      kill,
    };
  }
  throw new Error(`The runner did not start: ${await complaints}`);
}
