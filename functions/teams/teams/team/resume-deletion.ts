import { change } from "#shared/platform/messaging/change.ts";
import { queues } from "#shared/registry/queues.ts";
import type { Team } from "#shared/teams/team.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "../deps.ts";

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
