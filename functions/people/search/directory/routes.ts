import { defineRoutes } from "#shared/platform/http/route.ts";
import { searchResult } from "../schemas.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "browse-team": {
    method: "GET",
    path: "/teams/{tid}/search",
    hidesOtherMethods: true,
    auth: "user",
    summary: "Search the members of your team",
    description:
      "For members who may add others. Finds members, including suspended ones, whose name, handle or " +
      "email address has, for each word of `q`, a word that begins with it; without `q`, all members. " +
      "Ordered by `sortby`; by default by relevance, or newest first without `q`. Changes take a moment to " +
      "show up.",
    params: schemas.teamPath,
    query: schemas.browseQuery,
    responses: { 200: searchResult },
    errors: ["insufficient-permissions"],
  },
});
