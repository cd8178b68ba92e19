import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/**
 * Find members of a team by their ids, and the acting user as a member; users who are not in the team are left out.
 *
 * @throws ApiError `too-many-uids`, of strangers too; `not-a-team-member`
 * @see operation `get-team-members-by-ids`
 */
export async function findMembers(
  { teams }: Deps,
  { teamId, userId }: Membership,
  { userIds, limit }: { userIds: readonly string[]; limit: number },
): Promise<{ viewer: Member; members: Member[] }> {
  if (userIds.length > limit) throw new ApiError("too-many-uids");
  const viewer = checkMember(await teams.getMember({ teamId, userId }));
  return { viewer, members: await teams.getMembers(teamId, userIds) };
}
