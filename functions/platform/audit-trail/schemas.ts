import * as z from "zod";
import { hourOf } from "#shared/platform/audit/audit-record.ts";
import { cursorOf } from "#shared/platform/http/cursor.ts";

/** An hour of the trail. */
export const hour = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}$/)
  .refine((text) => {
    const time = Date.parse(`${text}:00:00Z`);
    return !Number.isNaN(time) && hourOf(time) === text;
  }, "no such hour");

/** Cursor in a list of records. */
export const recordCursor = cursorOf(
  "audit-records",
  z.strictObject({
    hour,
    time: z.string().max(30).optional(),
    chain: z.int().min(0).max(1).optional(),
    after: z.string().max(100).optional(),
    // Earlier versions counted all records of the hour.
    skip: z.int().min(0).max(100_000).optional(),
  }),
);

/** Cursor in a list of files. */
export const fileCursor = cursorOf(
  "audit-files",
  z.strictObject({ after: z.string().max(100), skip: z.int().min(0).optional() }),
);

/** Cursor in the records of a network, or of an operator. */
export const searchCursor = cursorOf(
  "audit-records-of-network",
  z.strictObject({ hour, part: z.int().min(0).max(15), after: z.string().max(400).optional() }),
);
