import * as z from "zod";

import { cursorOf } from "#shared/platform/http/cursor.ts";

/** How far a list has been read: up to an entry, not at all (``), or to its end (null). */
const listCursor = z
  .string()
  .regex(/^[ -~]{0,300}$/)
  .nullable();
export type ListCursor = z.infer<typeof listCursor>;

/** Key by which matches are ordered. */
const rank = z.strictObject({ score: z.number(), name: z.string(), userId: z.string() });
export type Rank = z.infer<typeof rank>;

/** Where a page of matches starts. */
const cursor = z.strictObject({
  tier: z.int().min(0),
  /** Where the window begins in each list of the tier. */
  cursors: z.array(listCursor),
  /** The match of the window that was listed last; absent if none has been listed yet. */
  last: rank.optional(),
  /** Entries that a window takes from each list; with another number, the ranking would differ. */
  limit: z.int().min(1).max(1000),
  /** Matches listed so far; small enough that sums with it stay exact integers. */
  listed: z.int32().min(0),
});

export const searchCursor = cursorOf("search", cursor);
export type SearchCursor = z.infer<typeof cursor>;
