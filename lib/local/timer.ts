import { setTimeout } from "node:timers/promises";

/** Something that runs until it is stopped. */
export interface Background {
  /** Resolves when it has completely stopped. */
  stop(): Promise<void>;
}

/** Handler of errors that no caller awaits. */
export type Report = (error: unknown) => void;

export const printError: Report = (error) => console.error(error);

/**
 * Run a task repeatedly, with the given pause after each run. A failure is reported, and the task runs again.
 * @param options.runsAtStart whether it also runs before the first pause
 */
export function startTimer(
  seconds: number,
  task: () => Promise<unknown>,
  { report, runsAtStart = false }: { report: Report; runsAtStart?: boolean },
): Background {
  const stopping = new AbortController();
  const run = async () => {
    if (runsAtStart) await task().catch(report);
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
