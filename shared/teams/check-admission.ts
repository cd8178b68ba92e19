import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { isOpen, type Team } from "#shared/teams/team.ts";

/**
 * Check whether a team admits one more member. The size is checked again when they join.
 *
 * @throws ApiError `no-team` when it is suspended or being deleted, `too-many-team-members`
 */
export function checkAdmission(team: Team | undefined, { maxTeamSize }: Settings): asserts team is Team {
  if (team === undefined || !isOpen(team)) throw new ApiError("no-team");
  if (team.memberCount >= maxTeamSize) throw new ApiError("too-many-team-members");
}
