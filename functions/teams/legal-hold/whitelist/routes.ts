import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { teamPath } from "../schemas.ts";

const teamIds = z
  .array(uuid)
  .meta({ id: "LegalHoldTeams", description: "In the order of their ids, up to the requested number" });

const pageQuery = z.object({
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(1000)
    .meta({ description: "Maximum number of teams to return" }),
  start: uuid.optional().meta({ description: "Id of the last team of the previous page" }),
});

const entry = {
  path: "/i/legalhold/whitelisted-teams/{tid}",
  auth: "internal",
  params: teamPath,
} as const;

export const routes = defineRoutes({
  "i-set-team-legalhold-whitelisted": {
    ...entry,
    method: "PUT",
    audit: "legal-hold.changed",
    summary: "Give a team legal hold",
    description:
      "Takes effect where the setting `legalhold` is `whitelist-teams-and-implicit-consent`: membership of " +
      "the team then counts as consent. Connections blocked for lack of consent are restored.",
    responses: { 200: null },
    errors: ["no-team"],
  },
  "i-get-team-legalhold-whitelisted": {
    ...entry,
    method: "GET",
    summary: "Check whether a team is on the list of those that have legal hold",
    description: "False for every team unless the setting `legalhold` uses the list.",
    responses: { 200: null },
    errors: ["not-found"],
  },
  "i-delete-team-legalhold-whitelisted": {
    ...entry,
    method: "DELETE",
    audit: "legal-hold.changed",
    summary: "Take a team from the list of those that have legal hold",
    description:
      "Legal hold devices, connections and groups stay. But members of the team no longer count as " +
      "consenting, so nobody can write in a conversation that one of them shares with somebody under legal " +
      "hold.",
    responses: { 204: null },
    errors: [],
  },
  "i-list-teams-legalhold-whitelisted": {
    method: "GET",
    path: "/i/legalhold/whitelisted-teams",
    auth: "internal",
    summary: "List the teams that have legal hold",
    description: "A page with fewer teams than requested is the last.",
    query: pageQuery,
    responses: { 200: teamIds },
    errors: [],
  },
});
