import * as z from "zod";
import { queryInstant, utcTime, uuid } from "./wire-types.ts";

/** More than the longest cursor needs. */
const maxLength = 8192;

/**
 * Creates the codec of a paged list's cursor: base64url of JSON that names its kind, so that the cursor of another list
 * is refused. It is opaque to clients, but neither secret nor signed: its content is validated against `place` like any
 * other input, and a cursor without a kind only has to fit.
 *
 * @param kind needs a new name when cursors already handed out no longer fit `place`
 * @param place schema of the place at which the next page starts
 */
export const cursorOf = <Shape extends z.core.$ZodShape>(
  kind: string,
  place: z.ZodObject<Shape, z.core.$strict>,
) =>
  z.codec(z.base64url().max(maxLength), place, {
    decode: (text, { issues }) => {
      const { kind: found = kind, ...content } = parseObject(text);
      if (found === kind) return content as z.input<typeof place>;
      issues.push({ code: "custom", message: "not a cursor of this list", input: text });
      return z.NEVER;
    },
    encode: (content) => Buffer.from(JSON.stringify({ kind, ...content })).toString("base64url"),
  });

/** Query of a list that is read page by page, from the cursor of the page before. */
export const pageQuery = <Cursor extends z.ZodType>(cursor: Cursor) =>
  z.object({
    size: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(100)
      .meta({ description: "Maximum length of the page" }),
    start: cursor.optional().meta({ description: "`next` of the page before" }),
  });

/** Returns an empty object, which fits no place, for a text that is not JSON. */
function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(Buffer.from(text, "base64url").toString()) };
  } catch {
    return {};
  }
}

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
