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
      "Says who invites to which team, and asks for a name and a password or, if the address has an " +
      "account, for its password. Changes nothing.",
    query: schemas.joinLink,
    headers: browserHeaders,
    responses: { 200: pageBody },
    errors: [
      "invalid-invitation-code",
      "condition-failed",
      "no-team",
      "too-many-team-members",
      "too-many-members-for-legalhold",
      "cannot-join-multiple-teams",
      "suspended",
    ],
  },
  "post-join": {
    method: "POST",
    audit: "account.registered",
    path: "/activate/join",
    pausedBy: "registration",
    errorFormat: "page",
    auth: "none",
    summary: "Register or log in, and join a team, with the form on the page",
    description: "303 leads back to the form when it must be filled in again.",
    headers: browserHeaders,
    body: schemas.joinForm,
    bodyFormat: "form",
    responseHeaders: { Location: "The page with the form" },
    responses: { 200: pageBody, 303: null },
    errors: [
      "invalid-invitation-code",
      "allowlist-rejected",
      "blacklisted-email",
      "domain-blocked-for-registration",
      "condition-failed",
      "no-team",
      "too-many-team-members",
      "too-many-members-for-legalhold",
      "cannot-join-multiple-teams",
      "missing-identity",
      "key-exists",
      "suspended",
    ],
  },
});
