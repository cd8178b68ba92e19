import { defineRoutes } from "#shared/platform/http/route.ts";
import { teamView } from "#shared/teams/team-view.ts";
import { teamPath } from "../schemas.ts";

export const routes = defineRoutes({
  "get-team": {
    method: "GET",
    path: "/teams/{tid}",
    auth: "user",
    summary: "Get your team",
    params: teamPath,
    responses: { 200: teamView },
    errors: ["no-team"],
  },
});
