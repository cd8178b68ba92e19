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

/** Counts what some work consumes while it runs. */
export interface Meter {
  readUnits: number;
  writeUnits: number;
  /** Frames posted to sockets. */
  frames: number;
}

/** A part of what a worker's batch consumes. */
export interface Handled {
  readonly sample: Sample | undefined;
  /** Relative to the other parts. */
  readonly weight: number;
}
