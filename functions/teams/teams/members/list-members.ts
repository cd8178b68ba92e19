import { checkMember } from "#shared/teams/check-member.ts";
import type { Member } from "#shared/teams/member.ts";
import { isAtLeast } from "#shared/teams/permissions.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/** Where a page of members starts, and how long it may be. */
export interface PageRequest {
  /** The member after whom the page starts; absent: the first one. */
  readonly after?: string;
  readonly limit: number;
}

/**
 * List a page of the members of a team in the order of their ids, and the acting user as a member. Members without the
 * right to search contacts, above all partners, see only themselves and who invited them. Nothing of the team is read
 * for strangers: with pages of up to 700 KB, they could use up the team's throughput.
 *
 * @throws ApiError `not-a-team-member`
 * @see operations `get-team-members`, `get-team-members-singular`
 */
export async function listMembers(
  { teams }: Deps,
  { teamId, userId }: Membership,
  page: PageRequest,
): Promise<{ viewer: Member; members: Member[]; hasMore: boolean }> {
  const viewer = checkMember(await teams.getMember({ teamId, userId }));
  if (isAtLeast(viewer.permissions, "member"))
    return { viewer, ...(await pageOfMembers({ teams }, teamId, page)) };
  const { invitedBy } = viewer;
  const inviter = invitedBy === undefined ? undefined : await teams.getMember({ teamId, userId: invitedBy });
  const members = [viewer, ...(inviter === undefined ? [] : [inviter])];
  return {
    viewer,
    members: members.sort((one, other) => (one.userId < other.userId ? -1 : 1)),
    hasMore: false,
  };
}

/**
 * List a page of the members of a team in the order of their ids, for callers who may see them all.
 *
 * @see operation `i-get-team-members`
 */
export async function pageOfMembers(
  { teams }: Pick<Deps, "teams">,
  teamId: string,
  { after, limit }: PageRequest,
): Promise<{ members: Member[]; hasMore: boolean }> {
  const found = await teams.pageOfMembers(teamId, { after, limit: limit + 1 });
  return { members: found.slice(0, limit), hasMore: found.length > limit };
}
