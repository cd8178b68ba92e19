import type { Clock } from "../clock.ts";

/** Whether a job has used up the time of its message, and has to go on with another one. */
export type TimeLimit = () => boolean;

/** How long one message is worked on: less than a worker may run, by more than a step takes. */
const runSeconds = 90;

/** Starts the time of a message. Its queue has to leave its worker more than that: half of the visibility timeout. */
export function startTimeLimit(clock: Clock): TimeLimit {
  const stopAt = clock() + runSeconds * 1000;
  return () => clock() >= stopAt;
}
