import { inject } from "vitest";
import { controlEffectsAt } from "./effects.ts";

/** A stack that the test files of one worker share, with its emulators; tests are isolated by having their own users. */
export interface SharedStack {
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly consoleUrl: string;
  /** Controls what waits in queues. */
  readonly effectsUrl: string;
  /** Environment variables that point the AWS SDK to the emulators. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folder for files of stacks. */
  readonly folder: string;
}

let running: SharedStack | undefined;

/** Get the stack of this worker; its first test file starts it. */
export async function useSharedStack(): Promise<void> {
  if (running === undefined) {
    const response = await fetch(`${inject("stacksUrl")}/${process.env.VITEST_POOL_ID}`);
    running = (await response.json()) as SharedStack;
  }
  controlEffectsAt(running.effectsUrl);
  Object.assign(process.env, running.environment, { LOG_LEVEL: "CRITICAL" });
}

/** The stack of this worker. @throws Error outside end-to-end tests */
export function sharedStack(): SharedStack {
  if (running === undefined) throw new Error("Only end-to-end tests have a stack");
  return running;
}
