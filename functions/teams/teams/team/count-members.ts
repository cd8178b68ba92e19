import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { readAsMember } from "./read-as-member.ts";

/**
 * Count the members of a team, suspended ones included.
 *
 * @throws ApiError `insufficient-permissions`, also when there is no such team
 * @see operation `get-team-size`
 */
export async function countMembers(deps: Deps, membership: Membership): Promise<number> {
  const { team, member } = await readAsMember(deps, membership);
  checkMember(member, { permission: "AddTeamMember" }, insufficientPermissions);
  if (team === undefined) throw new ApiError("insufficient-permissions");
  return team.memberCount;
}
