import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Deps } from "../deps.ts";
import { getTeam } from "./get-team.ts";

/**
 * Get the user's team as a list, which is empty without one.
 *
 * @see operation `get-teams`
 */
export async function getOwnTeams(deps: Deps, userId: string): Promise<Team[]> {
  const account = await deps.accounts.get(userId);
  if (account?.teamId === undefined) return [];
  try {
    return [await getTeam(deps, { teamId: account.teamId, userId })];
  } catch (error) {
    if (error instanceof ApiError && error.error === "no-team") return [];
    throw error;
  }
}
