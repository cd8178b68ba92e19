import { currentScope, withScope } from "../scope.ts";
import type { Sample } from "./sample.ts";

/** Run a task that is measured, or belongs to measured work. Its messages in the outbox carry the sample. */
export const asSampled = <Result>(sample: Sample | undefined, task: () => Result): Result =>
  withScope({ sample }, task);

/** The sample that the work belongs to, if it is measured. */
export const currentSample = (): Sample | undefined => currentScope().sample;

/**
 * Set the payer of the current request, if it is measured. Never fails, because measuring must not fail a request.
 * @param find looks the payer up; undefined, or a failure: nobody pays
 */
export async function charge(find: () => Promise<string | undefined>): Promise<void> {
  const current = currentSample();
  if (current !== undefined) current.payer = await find().catch(() => undefined);
}

/**
 * Note that a worker has handled an item of its batch.
 * @param sample its sample, if it is measured
 * @param weight its share of the batch's consumption, relative to the others
 */
export function noteHandled(sample: Sample | undefined, weight = 1): void {
  currentScope().handled?.push({ sample, weight });
}

/** Counts a frame posted to a socket, if the work is measured. */
export function countFrame(): void {
  const { meter } = currentScope();
  if (meter !== undefined) meter.frames++;
}
