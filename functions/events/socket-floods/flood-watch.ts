import { FrameBudget } from "#shared/events/sockets/frame-limits.ts";
import type { LoggedFrame } from "#shared/events/sockets/socket-log.ts";

/** A frame, and when it was logged (unix milliseconds). */
export interface TimedFrame extends LoggedFrame {
  readonly at: number;
}

/** Maximum number of sockets that an instance remembers: some 20 MB. */
const maxRemembered = 100_000;

/**
 * Counts the frames of sockets across batches of the log: a flood may be spread over many. Remembers only sockets that
 * have sent something in the last few seconds. Each instance of the function has its own counts, so that a flood may
 * last somewhat longer where many run.
 */
export class FloodWatch {
  readonly #budgets = new Map<string, FrameBudget>();

  /** @returns ids of the flooding sockets, with the number of their frames in this batch */
  findFloods(frames: Iterable<TimedFrame>): Map<string, number> {
    const counts = new Map<string, number>();
    const floods = new Set<string>();
    let latest = 0;
    for (const { socketId, kind, at } of frames) {
      latest = Math.max(latest, at);
      counts.set(socketId, (counts.get(socketId) ?? 0) + 1);
      if (!this.#budgetOf(socketId, at).take(kind, at)) floods.add(socketId);
    }
    this.#forget(latest);
    return new Map([...counts].filter(([socketId]) => floods.has(socketId)));
  }

  #budgetOf(socketId: string, at: number): FrameBudget {
    let budget = this.#budgets.get(socketId);
    if (budget === undefined) {
      budget = new FrameBudget(at);
      this.#budgets.set(socketId, budget);
    }
    return budget;
  }

  #forget(at: number): void {
    for (const [socketId, budget] of this.#budgets) {
      if (budget.isFull(at)) this.#budgets.delete(socketId);
    }
    // Oldest first.
    for (const socketId of this.#budgets.keys()) {
      if (this.#budgets.size <= maxRemembered) return;
      this.#budgets.delete(socketId);
    }
  }
}
