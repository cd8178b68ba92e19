import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { newestQuery } from "#shared/platform/http/newest-query.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { currency } from "#shared/teams/new-team.ts";
import { iconKey, teamIcon, teamName, teamStatus } from "#shared/teams/team.ts";
import { teamView } from "#shared/teams/team-view.ts";

export const teamChanges = z
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

export const teamDeletion = z
  .object({
    password: accountTypes.password.optional(),
    verification_code: accountTypes.verificationCode.optional(),
  })
  .meta({ id: "TeamDeleteData", examples: [{ password: "correct horse battery" }] })
  .optional();

export const teamSize = z
  .object({ teamSize: z.int().min(0).meta({ description: "Suspended members included" }) })
  .meta({ id: "TeamSize" });

export const foundedTeam = z
  .object({ team_id: wire.uuid, team_name: z.string() })
  .meta({ id: "CreateUserTeam" });

export const teamListQuery = z.object({
  ids: z.string().optional().meta({ description: "Ignored" }),
  start: z.string().optional().meta({ description: "Ignored" }),
  size: z.coerce.number().int().min(1).max(100).optional().meta({ description: "Ignored" }),
});
export const teamList = z
  .object({ teams: z.array(teamView).max(1), has_more: z.literal(false) })
  .meta({ id: "TeamList" });

export const freeTeam = z
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

export const founder = z.object({ "Z-User": wire.userId.meta({ description: "Who founds the team" }) });

export const teamData = z
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

export const deletionQuery = z.object({
  force: wire.queryFlag
    .default(false)
    .meta({ description: "Whether to delete a team with more than one member" }),
});

export const newTeamStatus = z
  .object({ status: teamStatus, currency: currency.optional() })
  .meta({ id: "TeamStatusUpdate", examples: [{ status: "active", currency: "EUR" }] });

export const teamNameView = z.object({ name: z.string() }).meta({ id: "TeamName" });
