import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "i-list-audit-records": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit",
    auth: "internal",
    summary: "List who has changed what",
    description: "Of one user, team or part of the trail, which must be named.",
    query: schemas.query,
    responses: { 200: schemas.records },
    errors: [],
  },
  "i-find-audit-records-of-network": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit/by-network",
    auth: "internal",
    summary: "List what was done from a network, in all teams and by everybody",
    description:
      "Of the last 35 days, up to 24 hours at a time, hour by hour; within an hour in any order. A page may be empty " +
      "although there is another. It reads all records of the period.",
    query: schemas.networkQuery,
    responses: { 200: schemas.records },
    errors: [],
  },
  "i-find-audit-records-of-operator": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit/by-operator",
    auth: "internal",
    summary: "List what an operator did or read, in all teams and for everybody",
    description:
      "Of the last 35 days, up to 24 hours at a time, hour by hour; within an hour in any order. A page may be empty " +
      "although there is another. It reads all records of the period.",
    query: schemas.operatorQuery,
    responses: { 200: schemas.records },
    errors: [],
  },
  "i-list-team-audit-records": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/teams/{tid}/audit",
    auth: "internal",
    summary: "List who has changed what in a team, on behalf of an owner",
    params: schemas.teamPath,
    headers: schemas.owner,
    query: schemas.teamQuery,
    responses: { 200: schemas.records },
    errors: ["not-a-team-member", "access-denied"],
  },
  "i-list-audit-chains": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit/chains",
    auth: "internal",
    summary: "List the parts of the audit trail that have files",
    query: schemas.chainsQuery,
    responses: { 200: schemas.chains },
    errors: [],
  },
  "i-list-audit-files": {
    method: "GET",
    audit: unaudited.trail,
    path: "/i/audit/files",
    auth: "internal",
    summary: "Get files of the audit trail as they are, to verify them",
    query: schemas.filesQuery,
    responses: { 200: schemas.files },
    errors: [],
  },
});
