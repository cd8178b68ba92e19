// Runs the emulators and nothing else, so that their CPU time is that of the store. Forked by forked-emulators.ts: sends the
// environment first, and then answers each message with the CPU time so far.
import { readdirSync, readFileSync } from "node:fs";
import { startEmulators } from "#lib/local/emulators/emulators.ts";
import { batchGroups } from "#lib/local/emulators/group-batches.ts";

export interface EmulatorsStart {
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

const ticksPerSecond = 100;
await batchGroups();
const { environment, folder, stop } = await startEmulators();
process.send?.({ environment, folder } satisfies EmulatorsStart);
process.on("message", () => process.send?.(cpuSecondsOf(process.pid)));
process.on("disconnect", () => void stop().then(() => process.exit()));

/** CPU time of a process and its children; only Linux reports that of other processes. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /, "").split(" ");
  const own = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean),
  );
  return children.reduce((sum, child) => sum + cpuSecondsOf(Number(child)), own);
}
