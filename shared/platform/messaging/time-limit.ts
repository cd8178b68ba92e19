import type { Clock } from "../clock.ts";

/** Whether a job has used up the time of its message, and must continue with another one. */
export type TimeLimit = () => boolean;

/** Time for one message; leaves a worker enough time to finish its current step. */
const runSeconds = 90;

/**
 * Starts the time of a message. It must be shorter than the timeout of its worker, which is half of the queue's
 * visibility timeout.
 */
export function startTimeLimit(clock: Clock): TimeLimit {
  const stopAt = clock() + runSeconds * 1000;
  return () => clock() >= stopAt;
}
