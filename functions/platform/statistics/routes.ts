import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "i-get-daily-statistics": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/statistics/days",
    auth: "internal",
    summary: "Get how many people were active, and what happened, on each day",
    query: schemas.daysQuery,
    responses: { 200: schemas.daysView },
    errors: [],
  },
  "i-list-team-statistics": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/statistics/teams",
    auth: "internal",
    summary: "List what teams consumed in a month",
    description:
      "In the order of their ids, extrapolated from a sample of the requests. Teams without a measured request are left " +
      "out. A page may have fewer than requested; the last has no `next`.",
    query: schemas.teamsQuery,
    responses: { 200: schemas.teamsPage },
    errors: [],
  },
  "i-get-team-statistics": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/statistics/teams/{tid}",
    auth: "internal",
    summary: "Get what a team consumed in each month, and what it stores",
    description:
      "Zero for what is unknown, also for an unknown team: what a deleted one consumed stays known.",
    params: schemas.teamPath,
    query: schemas.monthsQuery,
    responses: { 200: schemas.teamView },
    errors: [],
  },
});
