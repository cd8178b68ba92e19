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
  { teams }: Deps,
  teamId: string,
  actor?: Actor,
): Promise<SearchVisibility> {
  const [team, reader] = await Promise.all([
    teams.get(teamId),
    actor && teams.getMember({ teamId, userId: actor.userId }),
  ]);
  if (actor !== undefined) checkMember(reader, { role: "partner" });
  if (team === undefined || !isPresent(team)) throw new ApiError("no-team");
  return team.searchVisibility;
}
