import { setTimeout } from "node:timers/promises";

/** Something that runs until it is stopped. */
export interface Background {
  /** Resolves when it has completely stopped. */
  stop(): Promise<void>;
}

/** Run a task repeatedly, with the given pause after each run. A failure is reported and does not end it. */
export function startTimer(seconds: number, task: () => Promise<unknown>): Background {
  const stopping = new AbortController();
  const run = async () => {
    while (await pause(seconds * 1000, stopping.signal)) {
      await task().catch((error) => console.error(error));
    }
  };
  const ended = run();
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

/** @returns false when the signal cut it short */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  setTimeout(milliseconds, true, { signal }).catch(() => false);
