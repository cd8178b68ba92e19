import * as z from "zod";
import { teamPaths } from "#shared/accounts/team-pages/team-paths.ts";
import { teamAction, teamForm, teamPage } from "#shared/accounts/team-pages/team-routes.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";

export const routes = defineRoutes({
  "get-team-providers-page": {
    ...teamPage,
    path: teamPaths.providers,
    summary: "Show the page with the identity providers of a team",
  },
  "post-team-provider": {
    ...teamAction,
    path: teamPaths.providers,
    // As for the metadata itself, which a form encodes.
    bodyLimit: 1024 * 1024,
    audit: "identity-provider.created",
    summary: "Add an identity provider with the form on the page",
    body: teamForm.extend({ metadata: z.string().meta({ description: "Metadata in XML" }) }),
  },
  "post-team-provider-removal": {
    ...teamAction,
    path: "/account/team-login/removal",
    audit: "identity-provider.deleted",
    summary: "Remove an identity provider with the form on the page",
    body: teamForm.extend({ provider: uuid.meta({ description: "Id of the identity provider" }) }),
  },
});
