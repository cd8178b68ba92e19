import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/**
 * Get a member of the acting user's team, and the acting user as a member.
 *
 * @throws ApiError `not-a-team-member` about the acting user; `team-member-not-found`
 * @see operation `get-team-member`
 */
export async function getMember(
  { teams }: Deps,
  { teamId, userId }: Membership,
  viewerId: string,
): Promise<{ viewer: Member; member: Member }> {
  const members = await teams.getMembers(teamId, [viewerId, userId]);
  const viewer = checkMember(members.find((one) => one.userId === viewerId));
  const member = members.find((one) => one.userId === userId);
  if (member === undefined) throw new ApiError("team-member-not-found");
  return { viewer, member };
}

/**
 * Get a member of any team.
 *
 * @throws ApiError `team-member-not-found`
 * @see operation `i-get-team-member`
 */
export async function findMember({ teams }: Deps, key: Membership): Promise<Member> {
  const member = await teams.getMember(key);
  if (member === undefined) throw new ApiError("team-member-not-found");
  return member;
}
