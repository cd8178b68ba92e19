import { ApiError } from "#shared/platform/http/api-error.ts";
import { isFullForLegalHold, isOpen } from "#shared/teams/team.ts";
import type { Deps } from "../deps.ts";

/**
 * Check that one more user may join a team.
 *
 * @throws ApiError `no-team`, `too-many-team-members`, `too-many-members-for-legalhold`
 * @see operation `i-check-team-room`
 */
export async function checkRoom({ settings, teams }: Deps, teamId: string): Promise<void> {
  const team = await teams.get(teamId);
  if (team === undefined || !isOpen(team)) throw new ApiError("no-team");
  if (team.memberCount >= settings.maxTeamSize) throw new ApiError("too-many-team-members");
  if (isFullForLegalHold(team, settings)) throw new ApiError("too-many-members-for-legalhold");
}
