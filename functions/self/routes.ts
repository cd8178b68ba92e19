import { defineRoutes } from "#shared/http/route.ts";
import { selfProfile } from "#shared/schemas/self-profile.ts";

export const routes = defineRoutes({
  "get-self": {
    method: "GET",
    path: "/self",
    auth: "user",
    scope: "read:self",
    summary: "Get the own profile",
    responses: { 200: selfProfile },
    errors: ["not-found"],
  },
});
