import { fork } from "node:child_process";
import { once } from "node:events";
import type { EmulatorsStart } from "./emulators-process.ts";

/** Emulators in their own processes. */
export interface ForkedEmulators extends EmulatorsStart {
  /** CPU time of the emulators since their start. */
  cpuSeconds(): Promise<number>;
}

/** Start emulators for the time of this call, and let the SDK of this process find them. */
export async function withForkedEmulators<Result>(
  use: (emulators: ForkedEmulators) => Promise<Result>,
): Promise<Result> {
  process.env.LOG_LEVEL = "CRITICAL";
  const child = fork(new URL("emulators-process.ts", import.meta.url));
  const ended = once(child, "exit");
  const [started]: EmulatorsStart[] = await once(child, "message");
  if (started === undefined) throw new Error("The emulators have not started");
  Object.assign(process.env, started.environment);
  try {
    return await use({
      ...started,
      async cpuSeconds() {
        const answered = once(child, "message");
        child.send("cpu");
        return (await answered)[0];
      },
    });
  } finally {
    child.disconnect();
    await ended;
    for (const name of Object.keys(started.environment)) delete process.env[name];
  }
}
