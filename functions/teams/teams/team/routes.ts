import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { newestQuery } from "#shared/platform/http/cursor.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { currency, newTeam } from "#shared/teams/found-team.ts";
import { iconKey, teamIcon, teamName, teamStatus } from "#shared/teams/team.ts";
import { teamView } from "#shared/teams/team-view.ts";
import { teamPath } from "../schemas.ts";

const teamChanges = z
  .object({
    name: teamName.nullish(),
    icon: teamIcon.nullish(),
    icon_key: iconKey.nullish(),
    splash_screen: teamIcon.nullish(),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined && value !== null), {
    message: "at least one field must change",
  })
  .meta({
    id: "TeamUpdateData",
    description: "At least one field that is not null; null leaves a field as it is",
    examples: [{ name: "Difference Engines" }],
  });

const teamDeletion = z
  .object({
    password: accountTypes.password.optional(),
    verification_code: accountTypes.verificationCode.optional(),
  })
  .meta({ id: "TeamDeleteData", examples: [{ password: "correct horse battery" }] })
  .optional();

const teamSize = z
  .object({ teamSize: z.int().min(0).meta({ description: "Suspended members included" }) })
  .meta({ id: "TeamSize" });

const foundedTeam = z.object({ team_id: wire.uuid, team_name: z.string() }).meta({ id: "CreateUserTeam" });

const teamListQuery = z.object({
  ids: z.string().optional().meta({ description: "Ignored" }),
  start: z.string().optional().meta({ description: "Ignored" }),
  size: z.coerce.number().int().min(1).max(100).optional().meta({ description: "Ignored" }),
});
const teamList = z
  .object({ teams: z.array(teamView).max(1), has_more: z.literal(false) })
  .meta({ id: "TeamList" });

const freeTeam = z
  .object({
    name: teamName,
    icon: teamIcon,
    icon_key: iconKey.optional(),
    members: z.array(z.unknown()).min(1).max(127).optional(),
  })
  .meta({
    id: "NonBindingNewTeam",
    description: "A team of members who keep their own accounts",
    examples: [{ name: "Engines", icon: "default" }],
  });

const founder = z.object({ "Z-User": wire.userId.meta({ description: "Who founds the team" }) });

const teamData = z
  .object({
    team: teamView,
    status: teamStatus,
    status_time: wire.utcTime.meta({ description: "When the status last changed" }),
  })
  .meta({ id: "TeamData" });

export const teamsByTime = newestQuery("teams");

const listedTeam = z
  .object({
    id: wire.uuid,
    name: z.string(),
    status: teamStatus,
    creator: wire.uuid.meta({ description: "Who founded the team" }),
    size: z.int().min(0).meta({ description: "Members, suspended ones included" }),
    created_at: wire.utcTime.meta({
      description:
        "When it was founded; if that was before version 1.0.0, when its status had last changed at the upgrade",
    }),
  })
  .meta({ id: "ListedTeam" });

export const teamPage = z
  .object({ teams: z.array(listedTeam), next: wire.nextCursor.optional() })
  .meta({ id: "ListedTeams" });

const deletionQuery = z.object({
  force: wire.queryFlag
    .default(false)
    .meta({ description: "Whether to delete a team with more than one member" }),
});

const newTeamStatus = z
  .object({ status: teamStatus, currency: currency.optional() })
  .meta({ id: "TeamStatusUpdate", examples: [{ status: "active", currency: "EUR" }] });

const teamNameView = z.object({ name: z.string() }).meta({ id: "TeamName" });

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
    responses: { 200: foundedTeam },
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
    body: freeTeam,
    responses: { 201: null },
    errors: ["invalid-actions"],
  },
  "get-teams": {
    method: "GET",
    path: "/teams",
    until: 3,
    auth: "user",
    summary: "Get your team, as a list",
    query: teamListQuery,
    responses: { 200: teamList },
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
    body: teamChanges,
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
    body: teamDeletion,
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
    responses: { 200: teamSize },
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
    query: teamsByTime.query,
    responses: { 200: teamPage },
    errors: [],
  },
  "i-get-team": {
    ...internalTeam,
    method: "GET",
    summary: "Get a team and its status",
    description: "Of a deleted team, only the id and the founder remain.",
    responses: { 200: teamData },
    errors: ["no-team"],
  },
  "i-put-team": {
    ...internalTeam,
    method: "PUT",
    audit: "team.changed",
    summary: "Create a team under a given id, with a user as its founder",
    description: "The team is pending until its status is set. Repeating the request changes nothing.",
    headers: founder,
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
    query: deletionQuery,
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
    body: newTeamStatus,
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
    responses: { 200: teamNameView },
    errors: ["no-team"],
  },
  "i-get-team-size": {
    ...internalTeam,
    method: "GET",
    path: "/i/teams/{tid}/size",
    summary: "Count the members of any team",
    responses: { 200: teamSize },
    errors: ["no-team"],
  },
});
