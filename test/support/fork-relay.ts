import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RelayLimits } from "#lib/relay/relay.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { OwnStack } from "./own-stack.ts";
import { sharedStack } from "./shared-stack.ts";

/** Options of a relay in another process. */
export interface RelayPlan {
  readonly environment: Readonly<Record<string, string>>;
  readonly settingsFile: string;
  readonly prefix: string;
  readonly drainSeconds: number;
  /** Uploads that it takes at the same time; with any, it wants the secret of the entrance, also for sockets. */
  readonly uploads?: number;
  readonly limits: Partial<RelayLimits>;
}

const running = new Set<ReturnType<typeof fork>>();

/** Kill the relays that a test file has started. */
export function killRelays(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Start a relay in a process of its own, on the data of a stack. */
export async function forkRelay(
  { prefix, data }: Pick<OwnStack, "prefix" | "data">,
  {
    drainSeconds = 0.5,
    uploads = 0,
    ...limits
  }: Partial<RelayLimits> & { drainSeconds?: number; uploads?: number } = {},
) {
  const { environment, folder } = sharedStack();
  const settingsFile = join(mkdtempSync(join(folder, `${prefix}-`)), "settings.json");
  writeFileSync(settingsFile, JSON.stringify(parseSettings(data?.settings ?? {})));
  const plan: RelayPlan = { environment, settingsFile, prefix, drainSeconds, uploads, limits };
  const child = fork(new URL("relay-process.ts", import.meta.url), {
    env: { ...process.env, RELAY: JSON.stringify(plan) },
    execArgv: [],
  });
  running.add(child);
  const ended = once(child, "exit").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const failed = ended.then((code) => Promise.reject(new Error(`The relay has ended with ${code}`)));
  failed.catch(() => {});
  const [[started]] = await Promise.race([Promise.all([once(child, "message")]), failed]);
  const { id, port } = started as { id: string; port: number };
  return {
    id,
    publicUrl: `http://127.0.0.1:${port}`,
    /** Ends it as a deployment does. @returns its exit code */
    stop(): Promise<number | null> {
      child.kill("SIGTERM");
      return ended;
    },
    /** Ends it as a failure of its machine does. */
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
