import { followTeamStatus } from "#shared/accounts/status-change.ts";
import { Failures } from "#shared/platform/failures.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Team, TeamStatus } from "#shared/teams/team.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "../deps.ts";
import { findTeam } from "./get-team.ts";

/**
 * Suspend or resume a team that has members. A team that is not suspended can only be suspended.
 *
 * @throws ApiError `not-found` for a team without members, `invalid-team-status-update`
 * @see operations `i-suspend-team`, `i-unsuspend-team`
 */
export async function suspendOrResume(
  deps: Deps,
  teamId: string,
  status: "active" | "suspended",
): Promise<void> {
  const team = await deps.teams.get(teamId);
  if (team === undefined || team.status === "deleted") throw new ApiError("not-found");
  if (team.status === "pending_active") throw new ApiError("invalid-team-status-update");
  await changeStatus(deps, { teamId, status });
}

interface StatusChange {
  readonly teamId: string;
  readonly status: TeamStatus;
  /** Recorded when the team becomes active for the first time. */
  readonly currency?: string;
}

/**
 * Change the status of a team. Suspending it removes its pending invitations and suspends its members; activating it
 * resumes them. The first members follow before this returns, the others soon after. Repeating it leaves the team as it
 * is, but aligns the members again.
 *
 * @throws ApiError `no-team`, `invalid-team-status-update`
 * @see operations `i-put-team-status`, `i-suspend-team`, `i-unsuspend-team`
 */
export async function changeStatus(deps: Deps, { teamId, status, currency }: StatusChange): Promise<void> {
  const { clock, outbox, teams } = deps;
  const { team, order } = await change(deps, async () => {
    const previous = await findTeam(deps, teamId);
    if (!isAllowed(previous, status)) throw new ApiError("invalid-team-status-update");
    const isActivation = previous.status === "pending_active";
    const next = {
      status,
      statusChangedAt: previous.status === status ? previous.statusChangedAt : clock(),
      ...(isActivation && currency !== undefined && { currency }),
    };
    const order = orderTeamJob(outbox, { job: "align-members", teamId });
    return {
      writes: previous.status === status ? [] : [teams.changeStatus(previous, next)],
      // Not sent yet, because the job would interfere. If this function dies, the sweeper sends it.
      messages: isActivation ? [] : [{ ...order, isDeferred: true }],
      result: { team: { ...previous, ...next }, order: isActivation ? undefined : order },
    };
  });
  if (order !== undefined && !(await alignFirstMembers(deps, team))) await order.send();
}

/** Aligns the first members. @returns whether there are no others and the status is still the same */
async function alignFirstMembers(deps: Deps, team: Team): Promise<boolean> {
  const { invitations, log, teams } = deps;
  const { teamId } = team;
  try {
    if (team.status === "suspended") await invitations.removeAll(teamId);
    const failures = new Failures("members");
    const last = await followTeamStatus(deps, team, undefined, failures);
    failures.throwOr(undefined);
    const current = await teams.get(teamId);
    return last === undefined && current?.statusChangedAt === team.statusChangedAt;
  } catch (error) {
    log.warn("members-follow-later", { teamId, error: error as Error });
    return false;
  }
}

const isAllowed = ({ status }: Team, next: TeamStatus) =>
  next === "active"
    ? status === "pending_active" || status === "active" || status === "suspended"
    : next === "suspended" && (status === "active" || status === "suspended");
