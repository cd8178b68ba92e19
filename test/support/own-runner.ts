import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Runner, startRunner } from "./runner.ts";
import { testSettings } from "./test-settings.ts";

const cleanups: (() => unknown)[] = [];

/** Kill the runners that a test file has started, and remove their folders. */
export async function killOwnRunners(): Promise<void> {
  for (const cleanup of cleanups.splice(0)) await cleanup();
}

/** Create a folder for the data of a runner, with settings that suit tests. */
export function newDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "restart-"));
  writeFileSync(join(folder, "settings.json"), JSON.stringify({ ...testSettings, outboxResendSeconds: 1 }));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Start a runner that does not outlive the test file. */
export async function startOwnRunner(...options: Parameters<typeof startRunner>): Promise<Runner> {
  const runner = await startRunner(...options);
  cleanups.unshift(runner.kill);
  return runner;
}
