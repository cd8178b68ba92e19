import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "./setup-error.ts";

/**
 * Create a data folder and lock it for this process; a lock left by a process that has ended is taken over.
 * @returns a function that releases the lock
 * @throws SetupError when the folder cannot be used, or while another process has locked it
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, "runner.pid");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const owner = claim(file);
    if (owner !== undefined) {
      throw new SetupError(
        `Data folder ${folder} is in use by process ${owner}: stop it or choose another folder with --data ` +
          `(if it is another program, delete ${file})`,
      );
    }
  } catch (error) {
    if (error instanceof SetupError) throw error;
    throw new SetupError(`Data folder ${folder} cannot be used: ${(error as Error).message}`);
  }
  return () => unlinkSync(file);
}

/** @returns id of the running process that holds the lock file, if there is one */
function claim(file: string): number | undefined {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const owner = Number(readFileSync(file, "utf8"));
  if (isRunning(owner)) return owner;
  unlinkSync(file);
  return claim(file);
}

function isRunning(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
