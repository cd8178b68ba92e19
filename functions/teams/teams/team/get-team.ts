import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { readAsMember } from "./read-as-member.ts";
import { resumeDeletion } from "./resume-deletion.ts";

/**
 * Get the team of a member. A team that is being deleted stays visible until the member's account is gone.
 *
 * @throws ApiError `no-team` when there is none, or the user is not a member
 * @see operation `get-team`
 */
export async function getTeam(deps: Deps, membership: Membership): Promise<Team> {
  const { team, member } = await readAsMember(deps, membership);
  if (team === undefined || team.status === "deleted" || member === undefined) throw new ApiError("no-team");
  if (team.status === "pending_delete") await resumeDeletion(deps, team);
  return team;
}
