import * as z from "zod";
import { storedObject } from "../data/stored-item.ts";

/** Marks work that is measured, and whatever it causes. */
export const sample = storedObject({
  /** The payer; absent: none. */
  payer: z.string().optional(),
  /** Number of pieces of work that it represents; its consumption is multiplied by this. */
  oneIn: z.int(),
});
export type Sample = z.infer<typeof sample>;

/** Counts the consumption of some work while it runs. */
export interface Meter {
  readUnits: number;
  writeUnits: number;
  /** Frames posted to sockets. */
  frames: number;
}

/** A share of the consumption of a worker's batch. */
export interface Handled {
  readonly sample: Sample | undefined;
  /** Relative to the other parts. */
  readonly weight: number;
}
