import { checkAdmission } from "#shared/teams/check-admission.ts";
import type { Deps } from "../deps.ts";

/**
 * Check that one more user may join a team.
 *
 * @throws ApiError as `checkAdmission` does
 * @see operation `i-check-team-room`
 */
export async function checkRoom({ settings, teams }: Deps, teamId: string): Promise<void> {
  checkAdmission(await teams.get(teamId), settings);
}
