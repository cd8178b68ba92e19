import type * as z from "zod";
import { isImplicit, legalHoldStatusOf } from "#shared/accounts/legal-hold-status.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Member } from "#shared/teams/member.ts";
import { hasPermission, isAtLeast } from "#shared/teams/permissions.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import type * as schemas from "./routes.ts";

/** Where a page of members starts, and how long it may be. */
export interface PageRequest {
  /** The member after whom the page starts; absent: the first one. */
  readonly after?: string;
  readonly limit: number;
}

interface Page {
  readonly members: Member[];
  /** The member after whom the next page starts. */
  readonly last: string | undefined;
  readonly hasMore: boolean;
}

/**
 * List a page of the members of a team in the order of their ids, and the acting user as a member. Members without the
 * right to search contacts, such as partners, see only themselves and their inviters. Nothing of the team is read for
 * strangers: with pages of up to 700 KB, they could use up the team's throughput.
 *
 * @throws ApiError `not-a-team-member`
 * @see operations `get-team-members`, `get-team-members-singular`
 */
export async function listMembers(
  { teams }: Deps,
  { teamId, userId }: Membership,
  page: PageRequest,
): Promise<{ viewer: Member } & Page> {
  const viewer = checkMember(await teams.getMember({ teamId, userId }));
  if (isAtLeast(viewer.permissions, "member"))
    return { viewer, ...(await pageOfMembers({ teams }, teamId, page)) };
  const { invitedBy } = viewer;
  const inviter = invitedBy === undefined ? undefined : await teams.getMember({ teamId, userId: invitedBy });
  const members = [viewer, ...(inviter === undefined ? [] : [inviter])];
  return {
    viewer,
    members: members.sort((one, other) => (one.userId < other.userId ? -1 : 1)),
    last: undefined,
    hasMore: false,
  };
}

/**
 * List a page of the members of a team in the order of their ids, for callers who may see them all. Leaves out those who
 * cannot be read.
 *
 * @see operation `i-get-team-members`
 */
export const pageOfMembers = (
  { teams }: Pick<Deps, "teams">,
  teamId: string,
  page: PageRequest,
): Promise<Page> => teams.readableMembers(teamId, page);

/**
 * List the members of a user's team, the user included.
 *
 * @throws ApiError `no-team`
 * @see operation `i-get-user-team-members`
 */
export async function listTeamMates(deps: Deps, userId: string, page: PageRequest): Promise<Page> {
  const account = await deps.accounts.get(userId);
  if (account?.teamId === undefined) throw new ApiError("no-team");
  return pageOfMembers(deps, account.teamId, page);
}

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

/** A member as another one sees it: permissions are visible to the member, and to those who may see everybody's. */
export const toMemberView = (member: Member, viewer: Member): z.input<typeof schemas.member> => ({
  ...toFullView(member),
  ...(member.userId !== viewer.userId &&
    !hasPermission(viewer.permissions, "GetMemberPermissions") && { permissions: undefined }),
});

/** A member as internal callers see it. */
export const toFullView = ({
  userId,
  permissions,
  invitedBy,
  invitedAt,
  legalHoldStatus,
}: Member): z.input<typeof schemas.member> => ({
  user: userId,
  permissions,
  created_by: invitedBy ?? null,
  created_at: invitedAt === undefined ? null : new Date(invitedAt).toISOString(),
  legalhold_status: legalHoldStatus,
});

/** Members of a team with their visible legal hold statuses. Reads only where consent can be implicit. */
export async function withShownStatus(
  { features, settings }: Deps,
  teamId: string,
  members: readonly Member[],
): Promise<readonly Member[]> {
  if (!isImplicit(settings) || members.length === 0) return members;
  const team = await features.get(teamId);
  return members.map((member) => ({ ...member, legalHoldStatus: legalHoldStatusOf(member, team, settings) }));
}
