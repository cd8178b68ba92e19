import type { Clock } from "../clock.ts";

/** Whether a job has used up the time of its message, and must continue with another one. */
export type TimeLimit = () => boolean;

/** Time for one message; leaves a worker enough time to finish its current step. */
const runSeconds = 90;

/** Starts the time of a message. The timeout of its worker, half of the queue's visibility timeout, must be longer. */
export function startTimeLimit(clock: Clock): TimeLimit {
  const stopAt = clock() + runSeconds * 1000;
  return () => clock() >= stopAt;
}
