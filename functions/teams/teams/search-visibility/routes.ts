import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { searchVisibility } from "#shared/teams/team.ts";
import { teamPath } from "../schemas.ts";

const visibility = z
  .object({
    search_visibility: searchVisibility.meta({
      description:
        "`standard`: also users outside the team; `no-name-outside-team`: those by exact handle only",
    }),
  })
  .meta({ id: "TeamSearchVisibilityView", examples: [{ search_visibility: "no-name-outside-team" }] });

export const routes = defineRoutes({
  "get-search-visibility": {
    method: "GET",
    path: "/teams/{tid}/search-visibility",
    auth: "user",
    summary: "Get whom members of your team can find by name",
    params: teamPath,
    responses: { 200: visibility },
    errors: ["not-a-team-member", "operation-denied", "no-team"],
  },

  "set-search-visibility": {
    method: "PUT",
    audit: "team.feature-changed",
    path: "/teams/{tid}/search-visibility",
    auth: "user",
    summary: "Choose whom members of your team can find by name",
    description:
      "Only while the feature `searchVisibility` is enabled for the team. An exact handle always finds its " +
      "owner.",
    params: teamPath,
    body: visibility,
    responses: { 204: null },
    errors: ["not-a-team-member", "operation-denied", "team-search-visibility-not-enabled", "no-team"],
  },

  "i-get-search-visibility": {
    method: "GET",
    path: "/i/teams/{tid}/search-visibility",
    auth: "internal",
    summary: "Get whom members of a team can find by name",
    params: teamPath,
    responses: { 200: visibility },
    errors: ["no-team"],
  },

  "i-set-search-visibility": {
    method: "PUT",
    audit: "team.feature-changed",
    path: "/i/teams/{tid}/search-visibility",
    auth: "internal",
    summary: "Choose whom members of a team can find by name",
    params: teamPath,
    body: visibility,
    responses: { 204: null },
    errors: ["team-search-visibility-not-enabled", "no-team"],
  },
});
