import { mkdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { claim } from "../process-lock.ts";
import { SetupError } from "./setup-error.ts";

/**
 * Create a data folder and lock it for this process; a lock left by a process that has ended is taken over.
 * @returns a function that releases the lock
 * @throws SetupError if the folder cannot be used, or is locked by another process
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
