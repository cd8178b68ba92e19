import { defineRoutes } from "#shared/platform/http/route.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "get-team-member": {
    method: "GET",
    path: "/teams/{tid}/members/{uid}",
    auth: "user",
    summary: "Get a member of your team",
    params: schemas.memberPath,
    responses: { 200: schemas.member },
    errors: ["not-a-team-member", "team-member-not-found"],
  },
});
