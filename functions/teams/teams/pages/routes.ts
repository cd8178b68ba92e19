import * as z from "zod";
import { teamPaths } from "#shared/accounts/team-pages/team-paths.ts";
import { outcomeQuery, teamAction, teamForm, teamPage } from "#shared/accounts/team-pages/team-routes.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { userId, uuid } from "#shared/platform/http/wire-types.ts";
import { role } from "#shared/teams/permissions.ts";

const ofMember = { user: userId.meta({ description: "Id of the member" }) };
const after = uuid.optional().meta({ description: "Id after which the page starts" });

const exportHeaders = z.object({
  "Accept-Encoding": z.string().optional().meta({ setBy: "browser" }),
});

export const routes = defineRoutes({
  "get-team-members-page": {
    ...teamPage,
    path: teamPaths.members,
    summary: "Show the page with the members of a team",
    query: outcomeQuery.extend({ after }),
  },
  "get-team-member-page": {
    ...teamPage,
    path: "/account/team/member",
    summary: "Show the page with the forms for a member of a team",
    query: outcomeQuery.extend(ofMember),
  },
  "post-team-member-role": {
    ...teamAction,
    path: "/account/team/role",
    audit: "team.member-changed",
    summary: "Change the role of a member with the form on the page",
    body: teamForm.extend({ ...ofMember, role }),
  },
  "post-team-member-removal": {
    ...teamAction,
    path: "/account/team/removal",
    audit: "team.member-removed",
    summary: "Remove a member with the form on the page",
    body: teamForm.extend({ ...ofMember, password: z.string().optional() }),
  },
  "get-team-members-file": {
    ...teamPage,
    path: "/account/team/file",
    audit: { reads: "team.members-exported" },
    summary: "Download the list of members by the link on the page",
    query: z.object({}),
    headers: exportHeaders,
    responses: { 200: { contentType: "text/csv" }, 303: null },
    responseHeaders: {
      Location: "The page for logging in",
      "Content-Disposition": "Suggests a file name",
    },
    errors: ["jwt-error", "export-too-large"],
  },
  "get-team-invitations-page": {
    ...teamPage,
    path: teamPaths.invitations,
    summary: "Show the page with the pending invitations of a team",
    query: outcomeQuery.extend({ after }),
  },
  "post-team-invitation": {
    ...teamAction,
    path: teamPaths.invitations,
    audit: "team.invitation-sent",
    summary: "Invite somebody with the form on the page",
    body: teamForm.extend({ email: z.string().max(320), role }),
  },
  "post-team-invitation-withdrawal": {
    ...teamAction,
    path: "/account/team/withdrawal",
    audit: "team.invitation-revoked",
    summary: "Withdraw an invitation with the form on the page",
    body: teamForm.extend({ invitation: uuid.meta({ description: "Id of the invitation" }) }),
  },
});
