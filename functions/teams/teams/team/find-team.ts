import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Deps } from "../deps.ts";

/** Find a team, even a deleted one, for an internal caller. @throws ApiError `no-team` */
export async function findTeam({ teams }: Pick<Deps, "teams">, teamId: string): Promise<Team> {
  const team = await teams.get(teamId);
  if (team === undefined) throw new ApiError("no-team");
  return team;
}
