import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";

/** The last listed member. */
const cursor = z.strictObject({
  /** Order of the list, which gives the key its meaning. */
  order: z.string().max(30),
  /** The value that the order compares; null for a member without one. */
  key: z.union([z.number(), z.string()]).nullable(),
  userId: z.uuid(),
});

export const directoryCursor = cursorOf("directory", cursor);
export type DirectoryCursor = z.infer<typeof cursor>;
