import { readFileSync, unlinkSync, writeFileSync } from "node:fs";

/**
 * Claim a lock file for this process; one left by a process that has ended is taken over. Its owner deletes it.
 * @returns id of the running process that holds the lock file, if there is one
 */
export function claim(file: string): number | undefined {
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
