import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "get-join-page": {
    method: "GET",
    path: "/activate/join",
    errorFormat: "page",
    auth: "none",
    summary: "Show the page that a mail with an invitation links to",
    description:
      "Says who invites to which team, and asks for a name and a password, or for the password of the account that " +
      "the address has. Changes nothing.",
    query: schemas.joinLink,
    headers: browserHeaders,
    responses: { 200: pageBody },
    errors: [
      "invalid-invitation-code",
      "condition-failed",
      "no-team",
      "too-many-team-members",
      "cannot-join-multiple-teams",
      "suspended",
    ],
  },
  "post-join": {
    method: "POST",
    path: "/activate/join",
    errorFormat: "page",
    auth: "none",
    summary: "Register or log in, and join a team, by the form on its page",
    description: "303 leads back to the form when it cannot be accepted as it is.",
    headers: browserHeaders,
    body: schemas.joinForm,
    bodyFormat: "form",
    responseHeaders: { Location: "The page with the form" },
    responses: { 200: pageBody, 303: null },
    errors: [
      "invalid-invitation-code",
      "allowlist-rejected",
      "blacklisted-email",
      "condition-failed",
      "no-team",
      "too-many-team-members",
      "cannot-join-multiple-teams",
      "missing-identity",
      "key-exists",
      "suspended",
    ],
  },
});
