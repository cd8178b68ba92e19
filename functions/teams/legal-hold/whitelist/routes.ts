import { defineRoutes } from "#shared/platform/http/route.ts";
import { teamPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const entry = {
  path: "/i/legalhold/whitelisted-teams/{tid}",
  auth: "internal",
  params: teamPath,
} as const;

export const routes = defineRoutes({
  "i-set-team-legalhold-whitelisted": {
    ...entry,
    method: "PUT",
    summary: "Give a team legal hold",
    description:
      "It counts where the setting `legalhold` is `whitelist-teams-and-implicit-consent`: the members of the team have then " +
      "consented by being in it. Connections that the lack of consent has blocked come back.",
    responses: { 200: null },
    errors: ["no-team"],
  },
  "i-get-team-legalhold-whitelisted": {
    ...entry,
    method: "GET",
    summary: "Find out whether a team is on the list of those that have legal hold",
    description: "No team is where the setting `legalhold` gives the list no meaning.",
    responses: { 200: null },
    errors: ["not-found"],
  },
  "i-delete-team-legalhold-whitelisted": {
    ...entry,
    method: "DELETE",
    summary: "Take a team from the list of those that have legal hold",
    description:
      "Devices of legal hold stay, and so do connections and groups, but nobody can write where somebody is under legal hold " +
      "and a member of the team, who does not count as consenting any more, is there.",
    responses: { 204: null },
    errors: [],
  },
  "i-list-teams-legalhold-whitelisted": {
    method: "GET",
    path: "/i/legalhold/whitelisted-teams",
    auth: "internal",
    summary: "List the teams that have legal hold",
    description: "A page with fewer teams than asked for is the last.",
    query: schemas.pageQuery,
    responses: { 200: schemas.teamIds },
    errors: [],
  },
});
