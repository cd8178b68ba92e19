import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { median } from "./table.ts";

const root = join(import.meta.dirname, "..");
const startRuns = 3;
const readyLine = /public (http:\S+)/;

/** Seconds until `npm start` has announced its addresses and answered a first request; median of a few runs. */
export async function timeStart(): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < startRuns; run++) times.push(await startOnce());
  return median(times);
}

async function startOnce(): Promise<number> {
  const startedAt = performance.now();
  const child = spawn("npm", ["start", "--", "--memory", "--port", "0"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    // A process group, because npm does not forward every signal.
    detached: true,
  });
  const exited = once(child, "exit");
  try {
    for await (const line of createInterface(child.stdout)) {
      const address = readyLine.exec(line)?.[1];
      if (address === undefined) continue;
      await fetch(`${address}/api-version`);
      return (performance.now() - startedAt) / 1000;
    }
    throw new Error("npm start ended before it was ready");
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await exited;
  }
}

/** Seconds that `npm run synth` takes, with a temporary output folder. */
export async function timeSynth(): Promise<number> {
  const output = mkdtempSync(join(tmpdir(), "parley-synth-"));
  const startedAt = performance.now();
  try {
    const child = spawn("npm", ["run", "--silent", "synth", "--", "--output", output], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error("npm run synth failed");
    return (performance.now() - startedAt) / 1000;
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}
