import * as z from "zod";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { typedText } from "#shared/platform/html/typed-fields.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { invitationCode } from "#shared/teams/invitation-code.ts";

/** Reasons to show the form again. */
const joinProblem = z.enum(["wrong-password", "short-password", "no-name", "too-many-attempts"]);
export type JoinProblem = z.infer<typeof joinProblem>;

const joinLink = z.object({
  "team-code": invitationCode,
  problem: joinProblem.optional().catch(undefined).meta({ description: "Why the form is shown again" }),
});

const joinForm = z.object({
  "team-code": invitationCode,
  name: z
    .string()
    .max(128)
    .optional()
    .meta({ description: "Name of the new user; absent if there is an account" }),
  password: typedText.meta({ description: "The new password, or that of the existing account" }),
});

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
    query: joinLink,
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
    body: joinForm,
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
