import * as z from "zod";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { defaultSize, querySize, searchResult, size, sizeHint } from "../schemas.ts";
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

const searchQuery = z.object({
  ...fields,
  size: querySize.default(defaultSize).meta(sizeHint),
});

/** Each field can be in the body instead. */
const partialSearchQuery = z.object({
  ...fields,
  q: text.optional(),
  size: querySize.optional().meta(sizeHint),
});

const searchBody = z
  .object({ ...fields, q: text.optional(), size: size.optional().meta(sizeHint) })
  .meta({ id: "SearchRequest", examples: [{ q: "ada", size: 15 }] })
  .optional();

const search = {
  path: "/search/contacts",
  auth: "user",
  responses: { 200: searchResult },
  errors: ["federation-not-enabled", "insufficient-permissions"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "search-contacts": {
    ...search,
    method: "GET",
    summary: "Search for users by name and handle",
    description:
      "The owner of the exact handle `q` comes first, then users whose name or handle has, for each word " +
      "of `q`, a word that begins with it. Changes of profiles take a moment to show up. A page can have " +
      "fewer than `size` users although `has_more` is true.",
    query: searchQuery,
  },
  "search-contacts-post": {
    costs: uncharged.nothing,
    ...search,
    method: "POST",
    audit: unaudited.reading,
    summary: "Search for users by name and handle, with parameters in the body",
    description: "Works like `search-contacts`; each parameter can be in the query or in the body.",
    query: partialSearchQuery,
    body: searchBody,
  },
});
