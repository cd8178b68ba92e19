import * as z from "zod";
import { defaultSize, querySize, size, sizeHint } from "../schemas.ts";
import { searchCursor } from "./search-cursor.ts";

const text = z
  .string()
  .max(1024)
  .meta({ description: "Prefixes of words of the name or handle, or an exact handle" });
const fields = {
  q: text,
  domain: z
    .string()
    .max(256)
    .optional()
    .meta({ description: "Domain to search in; only that of this service is supported" }),
  pagingState: searchCursor.optional().meta({ description: "`paging_state` of the previous page" }),
};

export const searchQuery = z.object({
  ...fields,
  size: querySize.default(defaultSize).meta(sizeHint),
});

/** Each field can be in the body instead. */
export const partialSearchQuery = z.object({
  ...fields,
  q: text.optional(),
  size: querySize.optional().meta(sizeHint),
});

export const searchBody = z
  .object({ ...fields, q: text.optional(), size: size.optional().meta(sizeHint) })
  .meta({ id: "SearchRequest", examples: [{ q: "ada", size: 15 }] })
  .optional();
