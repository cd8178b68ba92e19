import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { isFullForLegalHold, isOpen, type Team } from "./team.ts";

/**
 * Check whether a team admits one more member. Everything is checked again at the join.
 *
 * @throws ApiError `no-team` when it is suspended or being deleted, `too-many-team-members`,
 *   `too-many-members-for-legalhold`
 */
export function checkAdmission(team: Team | undefined, settings: Settings): asserts team is Team {
  if (team === undefined || !isOpen(team)) throw new ApiError("no-team");
  if (team.memberCount >= settings.maxTeamSize) throw new ApiError("too-many-team-members");
  if (isFullForLegalHold(team, settings)) throw new ApiError("too-many-members-for-legalhold");
}
