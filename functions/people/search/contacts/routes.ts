import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { searchResult } from "../schemas.ts";
import * as schemas from "./schemas.ts";

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
    query: schemas.searchQuery,
  },
  "search-contacts-post": {
    costs: uncharged.nothing,
    ...search,
    method: "POST",
    audit: unaudited.reading,
    summary: "Search for users by name and handle, with parameters in the body",
    description: "Works like `search-contacts`; each parameter can be in the query or in the body.",
    query: schemas.partialSearchQuery,
    body: schemas.searchBody,
  },
});
