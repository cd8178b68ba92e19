import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

export const routes = defineRoutes({
  "i-refresh-index": {
    method: "POST",
    audit: unaudited.reading,
    path: "/i/index/refresh",
    auth: "internal",
    summary: "Wait until search shows all changes so far",
    description:
      "200 once the index has every change of users and teams that was answered before this request, and what passes " +
      "through teams and through all users ordered before it still had to do. Searches may read a copy that is up to a " +
      "second older. 503 when that takes more than ten seconds; the changes are indexed nevertheless, so ask again. What " +
      "has failed so often that it is parked for an operator is not waited for.",
    responses: { 200: null },
    errors: ["index-not-refreshed"],
  },
  "i-reindex": {
    method: "POST",
    audit: { none: "It rebuilds the index from accounts and teams, whose changes are recorded." },
    path: "/i/index/reindex",
    auth: "internal",
    summary: "Rebuild the search index of all users",
    description:
      "202 at once; workers go through all users in the background, the newest first, in steps of 90, each about a " +
      "second. Nobody is missing from search meanwhile. Another order ends the one under way.",
    responses: { 202: null },
    errors: [],
  },
});
