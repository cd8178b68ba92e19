import { fork } from "node:child_process";
import { once } from "node:events";
import type { RestoreOptions } from "#lib/restore/restore.ts";
import type { Snapshot } from "./point-in-time.ts";

/** A restore, and the call that ends its process. */
export interface DoomedRestore {
  readonly options: Omit<RestoreOptions, "print">;
  readonly snapshot: Snapshot;
  /** The call before which it dies, such as `PutItem`, and what that call's body contains. */
  readonly action: string;
  readonly mentions: readonly string[];
}

/** Restore in another process, which dies by SIGKILL when it is about to make a certain call. @returns what ended it */
export async function forkDoomedRestore(doomed: DoomedRestore): Promise<string | number> {
  const child = fork(new URL("doomed-restore.ts", import.meta.url), {
    env: { ...process.env, LOG_LEVEL: "CRITICAL" },
    execArgv: [],
    serialization: "advanced",
  });
  const died = once(child, "exit");
  child.send(doomed);
  const [code, signal] = await died;
  return signal ?? code;
}
