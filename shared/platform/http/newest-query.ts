import * as z from "zod";
import { cursorOf, pageQuery } from "./cursor.ts";
import { queryInstant, utcTime, uuid } from "./wire-types.ts";

const instant = queryInstant.transform((text) => new Date(text).toISOString()).optional();

/**
 * Cursor and query of a list that begins with the newest, as `newestFirst` reads it.
 * @param kind see `cursorOf`
 * @param id schema of ids of entries
 */
export function newestQuery(kind: string, id: z.ZodType<string, string> = uuid) {
  const cursor = cursorOf(kind, z.strictObject({ createdAt: utcTime, id }));
  const query = pageQuery(cursor).extend({
    from: instant.meta({ description: "Created then or later" }),
    to: instant.meta({ description: "Created before then" }),
  });
  return { cursor, query };
}
