import { batchRead } from "#shared/platform/data/batch-read.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { isPresent, type SearchVisibility } from "#shared/teams/team.ts";
import type { Deps } from "../deps.ts";

/**
 * Get whom the members of a team can find by name.
 *
 * @param actor a member; absent for the operator
 * @throws ApiError `not-a-team-member`, `operation-denied` for a member without a role; `no-team`
 * @see operations `get-search-visibility`, `i-get-search-visibility`
 */
export async function getSearchVisibility(
  { dynamo, teams }: Deps,
  teamId: string,
  actor?: Actor,
): Promise<SearchVisibility> {
  const readers = actor === undefined ? [] : [actor.userId];
  const keys = [...teams.teamKeys(teamId), ...teams.memberKeys(teamId, readers)];
  const items = await batchRead(dynamo, [{ tableName: teams.tableName, keys }]);
  for (const userId of readers) checkMember(teams.memberOf({ teamId, userId }, items), { role: "partner" });
  const team = teams.teamOf(teamId, items);
  if (team === undefined || !isPresent(team)) throw new ApiError("no-team");
  return team.searchVisibility;
}
