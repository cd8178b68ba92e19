import * as z from "zod";
import { teamPaths } from "#shared/accounts/team-pages/team-paths.ts";
import { teamAction, teamForm, teamPage } from "#shared/accounts/team-pages/team-routes.ts";
import { switchedFeatures } from "#shared/accounts/team-pages/texts.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";

export const routes = defineRoutes({
  "get-team-features-page": {
    ...teamPage,
    path: teamPaths.features,
    summary: "Show the page with the features of a team",
  },
  "post-team-feature": {
    ...teamAction,
    path: teamPaths.features,
    audit: "team.feature-changed",
    summary: "Switch a feature with the form on the page",
    body: teamForm.extend({ feature: z.enum(switchedFeatures), status: z.enum(["enabled", "disabled"]) }),
  },
});
