import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { queues } from "#shared/registry/queues.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Team } from "#shared/teams/team.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

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

/** Read a team, and the acting user as its member, in one round trip. */
export async function readAsMember(
  { teams }: Pick<Deps, "teams">,
  membership: Membership,
): Promise<{ team: Team | undefined; member: Member | undefined }> {
  const [team, member] = await Promise.all([teams.get(membership.teamId), teams.getMember(membership)]);
  return { team, member };
}

/** Find a team, even a deleted one, for an internal caller. @throws ApiError `no-team` */
export async function findTeam({ teams }: Pick<Deps, "teams">, teamId: string): Promise<Team> {
  const team = await teams.get(teamId);
  if (team === undefined) throw new ApiError("no-team");
  return team;
}

/** How long a deletion may go without a sign of life; a running job records one more often. */
const patienceMilliseconds = queues["team-jobs"].visibilityTimeoutSeconds * 1000;

/**
 * Enqueue the deletion of a team again if its job may have been lost or parked; a surplus job finds nothing to do. Of
 * concurrent callers, one enqueues it.
 */
export async function resumeDeletion(deps: Deps, team: Team): Promise<void> {
  const { clock, outbox, teams } = deps;
  const isOverdue = ({ status, deletionOrderedAt = 0 }: Team) =>
    status === "pending_delete" && clock() - deletionOrderedAt >= patienceMilliseconds;
  if (!isOverdue(team)) return;
  const { teamId } = team;
  await change(deps, async (attempt) => {
    const current = attempt === 1 ? team : await teams.get(teamId);
    if (current === undefined || !isOverdue(current)) return undefined;
    return {
      writes: [teams.orderDeletion(current, clock())],
      messages: [orderTeamJob(outbox, { job: "delete", teamId })],
    };
  });
}
