import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";

/** The member who was listed last. */
const cursor = z.strictObject({
  /** Order of the list, with which the key has its meaning. */
  order: z.string().max(30),
  /** What the order compares; null for a member without it. */
  key: z.union([z.number(), z.string()]).nullable(),
  userId: z.uuid(),
});

export const directoryCursor = cursorOf("directory", cursor);
export type DirectoryCursor = z.infer<typeof cursor>;
