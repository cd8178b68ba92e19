import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { chunks, chunksOfStream } from "#shared/platform/chunks.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Deps } from "../deps.ts";

/** Accounts deleted concurrently. */
const concurrency = 16;

/**
 * Delete the accounts of all members, with an event to each in the same transaction, and of those invited by a
 * directory.
 */
export async function deleteMembers(deps: Deps, { teamId }: Team, isTimeUp: TimeLimit): Promise<boolean> {
  const limit = deps.settings.concurrentDeletionEvents;
  for (;;) {
    const members = await deps.teams.pageOfMembers(teamId, { limit });
    if (members.length === 0) return deleteInvitees(deps, teamId, isTimeUp);
    for (const group of chunks(members, concurrency)) {
      if (isTimeUp()) return false;
      await Promise.all(group.map((member) => deleteMember(deps, member)));
    }
  }
}

async function deleteInvitees(deps: Deps, teamId: string, isTimeUp: TimeLimit): Promise<boolean> {
  for await (const group of chunksOfStream(deps.accounts.claimsByDirectory(teamId), concurrency)) {
    if (isTimeUp()) return false;
    const invitees = group.filter(({ status }) => status === "pending-invitation");
    await Promise.all(invitees.map(({ userId }) => deleteAccount(deps, userId)));
  }
  return true;
}

/** A defect may leave a member without an account, which must not keep the team from being deleted. */
async function deleteMember(deps: Deps, member: Member): Promise<void> {
  const isDeleted = await deleteAccount(deps, member.userId, { isTeamDeleted: true });
  if (isDeleted) return;
  await change(deps, async () => {
    const leftOver = await deps.teams.getMember(member);
    return leftOver && { writes: deps.teams.removeLeftOver(leftOver) };
  });
}
