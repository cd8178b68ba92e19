import * as z from "zod";
import * as primitives from "#shared/schemas/primitives.ts";

const size = z.int().min(1).max(500);
export const defaultSize = 15;

const text = z.string().max(1024);
const fields = {
  q: text,
  domain: z.string().max(256).optional(),
  pagingState: z.string().max(8192).optional(),
};

export const searchQuery = z.object({ ...fields, size: z.coerce.number().pipe(size).default(defaultSize) });

/** Any of it can be in the body instead. */
export const partialSearchQuery = z.object({
  ...fields,
  q: text.optional(),
  size: z.coerce.number().pipe(size).optional(),
});

export const searchBody = z
  .object({ ...fields, q: text.optional(), size: size.optional() })
  .meta({ id: "SearchRequest" })
  .optional();

const contact = z
  .object({
    qualified_id: primitives.qualifiedId,
    id: z.uuid(),
    name: z.string(),
    accent_id: z.int32(),
    handle: z.string().optional(),
    team: z.uuid().optional(),
  })
  .meta({ id: "TeamContact" });

export const searchResult = z
  .object({
    /** As far as matches have been looked at. */
    found: z.int(),
    returned: z.int(),
    /** Milliseconds. */
    took: z.int(),
    documents: z.array(contact),
    search_policy: z.enum(["no_search", "exact_handle_search", "full_search"]),
    has_more: z.boolean(),
    paging_state: z.string().optional(),
  })
  .meta({ id: "SearchResult" });
