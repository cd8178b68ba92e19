import { defineRoutes } from "#shared/platform/http/route.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { newTeam } from "#shared/teams/new-team.ts";
import { teamView } from "#shared/teams/team-view.ts";
import { teamPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const team = { path: "/teams/{tid}", auth: "user", params: teamPath } as const;
const internalTeam = { path: "/i/teams/{tid}", auth: "internal", params: teamPath } as const;

export const routes = defineRoutes({
  "upgrade-personal-to-team": {
    method: "POST",
    audit: "team.created",
    path: "/upgrade-personal-to-team",
    since: 7,
    auth: "user",
    pausedBy: "registration",
    summary: "Found a team with your personal account",
    description:
      "Keeps conversations, connections and devices. From then on the account belongs to the team: leaving " +
      "it means losing the account.",
    body: newTeam,
    responses: { 200: schemas.foundedTeam },
    errors: ["not-found", "user-already-in-a-team", "condition-failed"],
  },
  "create-free-team": {
    method: "POST",
    audit: "team.created",
    path: "/teams",
    until: 3,
    auth: "user",
    summary: "Create a team of people who keep their own accounts",
    description: "Always refused: such teams no longer exist.",
    body: schemas.freeTeam,
    responses: { 201: null },
    errors: ["invalid-actions"],
  },
  "get-teams": {
    method: "GET",
    path: "/teams",
    until: 3,
    auth: "user",
    summary: "Get your team, as a list",
    query: schemas.teamListQuery,
    responses: { 200: schemas.teamList },
    errors: [],
  },
  "get-team": {
    ...team,
    method: "GET",
    summary: "Get your team",
    responses: { 200: teamView },
    errors: ["no-team"],
  },
  "update-team": {
    costs: uncharged.itself,
    ...team,
    method: "PUT",
    audit: "team.changed",
    summary: "Change the name and pictures of a team",
    description: "For members with the permission SetTeamData. `default` resets a picture.",
    body: schemas.teamChanges,
    responses: { 200: null },
    errors: ["not-a-team-member", "operation-denied", "no-team", "too-many-requests"],
  },
  "delete-team": {
    ...team,
    method: "DELETE",
    audit: "team.deleted",
    summary: "Delete a team with the accounts of its members",
    description:
      "For members with the permission DeleteTeam, who must give their password if they have one, and a " +
      "code where a second factor is required. From then on nobody can join the team. Its members' " +
      "accounts and everything that belongs to it are deleted in the background; until then, repeating the " +
      "request answers 202.",
    body: schemas.teamDeletion,
    responses: { 202: null },
    errors: [
      "no-team",
      "not-a-team-member",
      "operation-denied",
      "access-denied",
      "code-authentication-required",
      "code-authentication-failed",
      "login-budget-exhausted",
      "too-many-requests",
    ],
  },
  "get-team-size": {
    ...team,
    method: "GET",
    path: "/teams/{tid}/size",
    summary: "Count the members of a team",
    responses: { 200: schemas.teamSize },
    errors: ["insufficient-permissions"],
  },
  "i-list-teams": {
    method: "GET",
    path: "/i/teams/list",
    auth: "internal",
    summary: "List the teams, the newest first",
    description:
      "Without deleted ones; a team that was founded a moment ago may be missing. A page may have fewer than requested; " +
      "the last has no `next`.",
    query: schemas.teamsByTime.query,
    responses: { 200: schemas.teamPage },
    errors: [],
  },
  "i-get-team": {
    ...internalTeam,
    method: "GET",
    summary: "Get a team and its status",
    description: "Of a deleted team, only the id and the founder remain.",
    responses: { 200: schemas.teamData },
    errors: ["no-team"],
  },
  "i-put-team": {
    ...internalTeam,
    method: "PUT",
    audit: "team.changed",
    summary: "Create a team under a given id, with a user as its founder",
    description: "The team is pending until its status is set. Repeating the request changes nothing.",
    headers: schemas.founder,
    body: newTeam,
    responses: { 201: null },
    responseHeaders: { Location: "Id of the team" },
    errors: ["not-found", "user-already-in-a-team", "team-exists"],
  },
  "i-delete-team": {
    ...internalTeam,
    method: "DELETE",
    audit: "team.deleted",
    summary: "Delete a team with the accounts of its members",
    query: schemas.deletionQuery,
    responses: { 202: null },
    errors: ["no-team", "not-one-member-team"],
  },
  "i-finalize-team-deletion": {
    ...internalTeam,
    method: "POST",
    audit: "team.deleted",
    path: "/i/teams/{tid}/finalize-delete",
    summary: "Continue a deletion that has stopped",
    responses: { 204: null },
    errors: ["no-team", "invalid-team-status-update"],
  },
  "i-put-team-status": {
    ...internalTeam,
    method: "PUT",
    audit: "team.changed",
    path: "/i/teams/{tid}/status",
    summary: "Activate, suspend or resume a team",
    description:
      "From `pending_active` to `active`, and between `active` and `suspended`. The members' accounts " +
      "follow; those that were suspended individually stay suspended.",
    body: schemas.newTeamStatus,
    responses: { 200: null },
    errors: ["no-team", "invalid-team-status-update"],
  },
  "i-suspend-team": {
    ...internalTeam,
    method: "POST",
    audit: "team.changed",
    path: "/i/teams/{tid}/suspend",
    summary: "Suspend a team and its members",
    description:
      "Revokes the cookies of the members, and removes pending invitations. In a team of more than a hundred members, " +
      "the others follow in the background.",
    responses: { 200: null },
    errors: ["not-found", "invalid-team-status-update"],
  },
  "i-unsuspend-team": {
    ...internalTeam,
    method: "POST",
    audit: "team.changed",
    path: "/i/teams/{tid}/unsuspend",
    summary: "Resume a team and its members",
    responses: { 200: null },
    errors: ["not-found", "invalid-team-status-update"],
  },
  "i-get-team-name": {
    ...internalTeam,
    method: "GET",
    path: "/i/teams/{tid}/name",
    summary: "Get the name of a team",
    responses: { 200: schemas.teamNameView },
    errors: ["no-team"],
  },
  "i-get-team-size": {
    ...internalTeam,
    method: "GET",
    path: "/i/teams/{tid}/size",
    summary: "Count the members of any team",
    responses: { 200: schemas.teamSize },
    errors: ["no-team"],
  },
});
