import * as z from "zod";
import { accentId } from "#shared/accounts/profiles/profile-fields.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { searchCursor } from "./search-cursor.ts";

const size = z.int().min(1).max(500);
const sizeHint = { description: "Maximum number of users in the answer; 15 by default" };
export const defaultSize = 15;

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
    .meta({ description: "Domain to search in; only that of this service is known" }),
  pagingState: searchCursor.optional().meta({ description: "`paging_state` of the page before" }),
};

export const searchQuery = z.object({
  ...fields,
  size: z.coerce.number().pipe(size).default(defaultSize).meta(sizeHint),
});

/** Any of these fields can be in the body instead. */
export const partialSearchQuery = z.object({
  ...fields,
  q: text.optional(),
  size: z.coerce.number().pipe(size).optional().meta(sizeHint),
});

export const searchBody = z
  .object({ ...fields, q: text.optional(), size: size.optional().meta(sizeHint) })
  .meta({ id: "SearchRequest", examples: [{ q: "ada", size: 15 }] })
  .optional();

const contact = z
  .object({
    qualified_id: wire.qualifiedId,
    id: z.uuid(),
    name: z.string(),
    accent_id: accentId,
    handle: z.string().optional().meta({ description: "Without `@`" }),
    team: z.uuid().optional().meta({ description: "Id of the user's team" }),
  })
  .meta({ id: "TeamContact" });

export const searchResult = z
  .object({
    found: z.int().meta({ description: "Matches found so far, including earlier pages; there can be more" }),
    returned: z.int().meta({ description: "Users in this answer" }),
    took: z.int().meta({ description: "Milliseconds that the search took" }),
    documents: z.array(contact).meta({ description: "Best matches first" }),
    search_policy: z
      .enum(["no_search", "exact_handle_search", "full_search"])
      .meta({ description: "What can be searched for in the domain" }),
    has_more: z.boolean(),
    paging_state: z.string().optional().meta({ description: "Opaque: where the next page starts" }),
  })
  .meta({ id: "SearchResult" });
