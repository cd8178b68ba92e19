import type { Member } from "#shared/teams/member.ts";
import type { Deps } from "../deps.ts";

/**
 * List the admins and owners of a team, in any order: there are 2000 at most.
 *
 * @see operation `i-get-team-admins`
 */
export async function listAdmins({ teams }: Deps, teamId: string): Promise<Member[]> {
  const adminIds: string[] = [];
  for await (const userId of teams.admins(teamId)) adminIds.push(userId);
  return teams.getMembers(teamId, adminIds);
}
