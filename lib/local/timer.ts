import { setTimeout } from "node:timers/promises";

export interface Background {
  /** Settles when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** Run a task again and again, the given time after its last end. A failure is reported and does not end it. */
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

/** @returns false when the signal came first */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  setTimeout(milliseconds, true, { signal }).catch(() => false);
