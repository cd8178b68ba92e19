import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { chunks, chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Deps } from "../deps.ts";

/** Accounts deleted concurrently. */
const concurrency = 16;

/**
 * Delete the accounts of all members, with an event to each in the same transaction, and of those invited by a
 * directory. An account that cannot be deleted does not delay the others.
 */
export async function deleteMembers(deps: Deps, { teamId }: Team, isTimeUp: TimeLimit): Promise<boolean> {
  const limit = deps.settings.concurrentDeletionEvents;
  const failures = new Failures("accounts");
  let after: string | undefined;
  for (;;) {
    const members = await deps.teams.pageOfMembers(teamId, { after, limit });
    for (const group of chunks(members, concurrency)) {
      if (isTimeUp()) return failures.throwIfStuckOr(false);
      await failures.collectAll(group.map((member) => deleteMember(deps, member)));
    }
    if (members.length < limit) break;
    after = members.at(-1)?.userId;
  }
  for await (const group of chunksOfStream(deps.accounts.claimsByDirectory(teamId), concurrency)) {
    if (isTimeUp()) return failures.throwIfStuckOr(false);
    const invitees = group.filter(({ status }) => status === "pending-invitation");
    await failures.collectAll(invitees.map(({ userId }) => deleteAccount(deps, userId)));
  }
  return failures.throwOr(true);
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
