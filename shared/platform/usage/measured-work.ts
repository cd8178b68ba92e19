import { currentScope, withScope } from "../scope.ts";
import type { Sample } from "./sample.ts";

/** Run a task that is measured, or part of what is. The messages that it puts into the outbox have the sample. */
export const asSampled = <Result>(sample: Sample | undefined, task: () => Result): Result =>
  withScope({ sample }, task);

/** The sample that the work belongs to, if it is measured. */
export const currentSample = (): Sample | undefined => currentScope().sample;

/**
 * Name who pays for the current request, if it is measured. Never fails: otherwise, requests would because they are.
 * @param find looks them up; undefined, or a failure: nobody pays
 */
export async function charge(find: () => Promise<string | undefined>): Promise<void> {
  const current = currentSample();
  if (current !== undefined) current.payer = await find().catch(() => undefined);
}

/**
 * Say that a worker has handled something of its batch.
 * @param sample which it is part of, if it is measured
 * @param weight its part in what the batch consumes, relative to the others
 */
export function noteHandled(sample: Sample | undefined, weight = 1): void {
  currentScope().handled?.push({ sample, weight });
}

/** Counts a frame posted to a socket, if the work is measured. */
export function countFrame(): void {
  const { meter } = currentScope();
  if (meter !== undefined) meter.frames++;
}
