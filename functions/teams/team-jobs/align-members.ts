import { followTeamStatus } from "#shared/accounts/follow-team-status.ts";
import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { orderTeamJob, type TeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "./deps.ts";

type Order = Extract<TeamJob, { job: "align-members" }>;

/**
 * Suspend the members of a suspended team, or resume those of a team that no longer is. Starts again when the status
 * changes meanwhile, so that the last of several jobs leaves the members as the team is. A member that cannot be changed
 * does not delay the others.
 */
export async function alignMembers(deps: Deps, order: Order, isTimeUp: TimeLimit): Promise<void> {
  const { invitations, outbox, teams } = deps;
  const { teamId } = order;
  const failures = new Failures("members");
  let { progress } = order;
  for (;;) {
    const team = await teams.get(teamId);
    if (team?.status !== "suspended" && team?.status !== "active") return;
    const { statusChangedAt } = team;
    const isBegun = progress?.statusChangedAt === statusChangedAt;
    if (!isBegun && team.status === "suspended") await invitations.removeAll(teamId);
    const after = await followTeamStatus(deps, team, isBegun ? progress?.after : undefined, failures);
    if (after === undefined) {
      const current = await teams.get(teamId);
      if (current?.statusChangedAt === statusChangedAt) return failures.throwOr(undefined);
      progress = undefined;
      continue;
    }
    progress = { statusChangedAt, after };
    if (!isTimeUp()) continue;
    // The remaining members are found by starting again.
    const rest: Order = failures.isEmpty
      ? { ...order, progress }
      : failures.throwIfStuckOr({ job: order.job, teamId });
    await change(deps, async () => ({ messages: [orderTeamJob(outbox, rest)] }));
    return;
  }
}
