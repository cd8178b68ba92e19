import { batchRead } from "#shared/platform/data/batch-read.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/**
 * Get the team of a member.
 *
 * @throws ApiError `no-team` when there is none, or the user is not a member
 * @see operation `get-team`
 */
export async function getTeam({ dynamo, teams }: Deps, membership: Membership): Promise<Team> {
  const { teamId, userId } = membership;
  const keys = [...teams.teamKeys(teamId), ...teams.memberKeys(teamId, [userId])];
  const items = await batchRead(dynamo, [{ tableName: teams.tableName, keys }]);
  const team = teams.teamOf(teamId, items);
  if (team === undefined || team.status === "deleted" || teams.memberOf(membership, items) === undefined)
    throw new ApiError("no-team");
  return team;
}
