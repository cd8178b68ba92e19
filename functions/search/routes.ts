import { defineRoutes, type Route } from "#shared/http/route.ts";
import * as schemas from "./schemas.ts";

const search = {
  path: "/search/contacts",
  auth: "user",
  responses: { 200: schemas.searchResult },
  errors: ["federation-not-enabled", "insufficient-permissions"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "search-contacts": {
    ...search,
    method: "GET",
    summary: "Search for users by name and handle",
    query: schemas.searchQuery,
  },
  "search-contacts-post": {
    ...search,
    method: "POST",
    summary: "Search for users, with the query in the address or in the body",
    query: schemas.partialSearchQuery,
    body: schemas.searchBody,
  },
});
