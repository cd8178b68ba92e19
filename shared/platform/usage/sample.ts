import { AsyncLocalStorage } from "node:async_hooks";
import * as z from "zod";
import { storedObject } from "../data/stored-item.ts";

/** Marks work that is measured, and whatever it causes. */
export const sample = storedObject({
  /** Who pays; absent: nobody. */
  payer: z.string().optional(),
  /** Of how many pieces of work it is one: what it consumes counts so many times. */
  oneIn: z.int(),
});
export type Sample = z.infer<typeof sample>;

const samples = new AsyncLocalStorage<Sample | undefined>();

/** Run a task that is measured, or part of what is. The messages that it puts into the outbox have the sample. */
export const asSampled = <Result>(sample: Sample | undefined, task: () => Result): Result =>
  samples.run(sample, task);

/** The sample that the work belongs to, if it is measured. */
export const currentSample = (): Sample | undefined => samples.getStore();

/**
 * Name who pays for the current request, if it is measured. Never fails: otherwise, requests would because they are.
 * @param find looks them up; undefined, or a failure: nobody pays
 */
export async function charge(find: () => Promise<string | undefined>): Promise<void> {
  const current = samples.getStore();
  if (current !== undefined) current.payer = await find().catch(() => undefined);
}
