import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { toTeamView } from "#shared/teams/team-view.ts";
import type { Deps } from "../deps.ts";
import { changeStatus, suspendOrResume } from "./change-status.ts";
import { createTeam } from "./create-team.ts";
import { deleteByOperator } from "./delete-by-operator.ts";
import { deleteTeam } from "./delete-team.ts";
import { findTeam } from "./find-team.ts";
import { finishDeletion } from "./finish-deletion.ts";
import { countMembers, getOwnTeams, getTeam } from "./get-team.ts";
import { listTeams } from "./list-teams.ts";
import type { routes } from "./routes.ts";
import { updateTeam } from "./update-team.ts";
import { upgradeToTeam } from "./upgrade-to-team.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "upgrade-personal-to-team": async ({ actor, body }) => {
      const { teamId, name } = await upgradeToTeam(deps, actor, body);
      return { body: { team_id: teamId, team_name: name } };
    },

    "create-free-team": () => {
      throw new ApiError("invalid-actions");
    },

    "get-teams": async ({ actor }) => {
      const teams = await getOwnTeams(deps, actor.userId);
      return { body: { teams: teams.map(toTeamView), has_more: false } };
    },

    "get-team": async ({ actor, params }) => ({
      body: toTeamView(await getTeam(deps, { teamId: params.tid, userId: actor.userId })),
    }),

    "update-team": async ({ actor, params, body }) => {
      const changes = {
        ...(body.name != null && { name: body.name }),
        ...(body.icon != null && { icon: body.icon }),
        ...(body.icon_key != null && { iconKey: body.icon_key }),
        ...(body.splash_screen != null && { splashScreen: body.splash_screen }),
      };
      await updateTeam(deps, actor, { teamId: params.tid, changes });
      return {};
    },

    "delete-team": async ({ actor, params, body }) => {
      const { password, verification_code: secondFactor } = body ?? {};
      await deleteTeam(deps, actor, { teamId: params.tid, password, secondFactor });
      return {};
    },

    "get-team-size": async ({ actor, params }) => ({
      body: { teamSize: await countMembers(deps, { teamId: params.tid, userId: actor.userId }) },
    }),

    "i-list-teams": async ({ query: { size: limit, start: after, from, to } }) => ({
      body: await listTeams(deps, { limit, after, from, to }),
    }),

    "i-get-team": async ({ params }) => {
      const team = await findTeam(deps, params.tid);
      const { status, statusChangedAt } = team;
      return {
        body: { team: toTeamView(team), status, status_time: new Date(statusChangedAt).toISOString() },
      };
    },

    "i-put-team": async ({ body, headers, params }) => {
      await createTeam(deps, { teamId: params.tid, founderId: headers["Z-User"], team: body });
      return { headers: { location: params.tid } };
    },

    "i-delete-team": async ({ params, query }) => {
      await deleteByOperator(deps, { teamId: params.tid, isForced: query.force });
      return {};
    },

    "i-finalize-team-deletion": async ({ params }) => {
      await finishDeletion(deps, params.tid);
      return {};
    },

    "i-put-team-status": async ({ body, params }) => {
      await changeStatus(deps, { teamId: params.tid, ...body });
      return {};
    },

    "i-suspend-team": async ({ params }) => {
      await suspendOrResume(deps, params.tid, "suspended");
      return {};
    },

    "i-unsuspend-team": async ({ params }) => {
      await suspendOrResume(deps, params.tid, "active");
      return {};
    },

    "i-get-team-name": async ({ params }) => ({ body: { name: (await findTeam(deps, params.tid)).name } }),

    "i-get-team-size": async ({ params }) => ({
      body: { teamSize: (await findTeam(deps, params.tid)).memberCount },
    }),
  };
}
