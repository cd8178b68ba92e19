import { setTimeout } from "node:timers/promises";

/** Something that runs until it is stopped. */
export interface Background {
  /** Resolves when it has completely stopped. */
  stop(): Promise<void>;
}

/** What becomes of an error that nobody waits for. */
export type Report = (error: unknown) => void;

export const printError: Report = (error) => console.error(error);

/** Run a task repeatedly, with the given pause after each run. A failure is reported and does not end it. */
export function startTimer(
  seconds: number,
  task: () => Promise<unknown>,
  report: Report = printError,
): Background {
  const stopping = new AbortController();
  const run = async () => {
    while (await pause(seconds * 1000, stopping.signal)) {
      await task().catch(report);
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
