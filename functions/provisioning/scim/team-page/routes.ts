import * as z from "zod";
import { teamPaths } from "#shared/accounts/team-pages/team-paths.ts";
import { teamAction, teamForm, teamPage } from "#shared/accounts/team-pages/team-routes.ts";
import { typedCode } from "#shared/platform/html/typed-fields.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

/** The field of a provider, which is empty for none. */
const provider = z
  .union([uuid, z.literal("")])
  .default("")
  .meta({ description: "Id of the identity provider of the accounts, or nothing" });

export const routes = defineRoutes({
  "get-team-tokens-page": {
    ...teamPage,
    path: teamPaths.tokens,
    refusesHead: true,
    summary: "Show the page with the directory’s tokens of a team",
    responseHeaders: { Location: "The page for logging in", "Set-Cookie": "Forgets the new token" },
  },
  "post-team-token": {
    ...teamAction,
    path: teamPaths.tokens,
    audit: "provisioning-token.created",
    summary: "Create a token with the form on the page",
    description: "303 leads to the page, which shows the token once.",
    responseHeaders: {
      Location: "The next page",
      "Set-Cookie": "The new token, until the page has shown it",
    },
    body: teamForm.extend({
      purpose: z.string().max(512),
      provider,
      password: z.string().optional(),
      code: typedCode,
    }),
  },
  "post-team-token-code": {
    ...teamAction,
    path: "/account/team-directory/code",
    audit: unaudited.preparation,
    summary: "Have the code mailed that a new token needs, with the form on the page",
    body: teamForm,
  },
  "post-team-token-revocation": {
    ...teamAction,
    path: "/account/team-directory/revocation",
    audit: "provisioning-token.deleted",
    summary: "Revoke a token with the form on the page",
    body: teamForm.extend({ token: uuid.meta({ description: "Id of the token" }) }),
  },
});
