import { defineRoutes } from "#shared/platform/http/route.ts";
import { searchResult } from "../schemas.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "browse-team": {
    method: "GET",
    path: "/teams/{tid}/search",
    auth: "user",
    summary: "Search the members of your team",
    description:
      "For members who may add others. Finds members, suspended ones included, whose name, handle or e-mail address has, for " +
      "each word of `q`, a word that starts with it; without `q`, everybody. The order is by relevance, or without `q` " +
      "the newest first, unless `sortby` says otherwise. Changes show up after a moment.",
    params: schemas.teamPath,
    query: schemas.browseQuery,
    responses: { 200: searchResult },
    errors: ["insufficient-permissions"],
  },
});
