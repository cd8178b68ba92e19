import * as z from "zod";
import { ApiError } from "#shared/errors.ts";

/** How far a list has been read: up to an entry, not at all (``), or to its end (null). */
const cursor = z
  .string()
  .regex(/^[ -~]{0,300}$/)
  .nullable();
export type Cursor = z.infer<typeof cursor>;

/** What the order of matches goes by. */
const rank = z.strictObject({ score: z.number(), name: z.string(), userId: z.string() });
export type Rank = z.infer<typeof rank>;

/** A place in the matches of a search. */
const position = z.strictObject({
  tier: z.int().min(0),
  /** Of the tier's lists, where the window begins. */
  cursors: z.array(cursor),
  /** Of the window's matches the one that was listed last; absent: none yet. */
  last: rank.optional(),
  /** Entries of each list in a window: another number would rank others together. */
  limit: z.int().min(1).max(1000),
  /** Matches listed so far. Far from where what is added to it is an integer no more. */
  listed: z.int32().min(0),
});
export type Position = z.infer<typeof position>;

export const writePosition = (place: Position) => Buffer.from(JSON.stringify(place)).toString("base64url");

/** @throws ApiError `bad-request` for what `writePosition` did not write */
export function readPosition(text: string): Position {
  try {
    return position.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
  } catch (cause) {
    throw foreignPosition(cause);
  }
}

/** A position of another search, or of none. */
export const foreignPosition = (cause?: unknown) =>
  new ApiError("bad-request", { message: "pagingState: not of this search", cause });
