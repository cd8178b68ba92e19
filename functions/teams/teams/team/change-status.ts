import { followTeamStatus } from "#shared/accounts/follow-team-status.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Team, TeamStatus } from "#shared/teams/team.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "../deps.ts";
import { findTeam } from "./find-team.ts";

interface StatusChange {
  readonly teamId: string;
  readonly status: TeamStatus;
  /** Recorded when the team becomes active for the first time. */
  readonly currency?: string;
}

/**
 * Change the status of a team. Suspending it removes its pending invitations, and suspends its members; when it is active
 * again, they are resumed. The first members follow before this returns, the others soon after. Repeating it changes
 * nothing, but lets the members follow again.
 *
 * @throws ApiError `no-team`, `invalid-team-status-update`
 * @see operations `i-put-team-status`, `i-suspend-team`, `i-unsuspend-team`
 */
export async function changeStatus(deps: Deps, { teamId, status, currency }: StatusChange): Promise<void> {
  const { clock, invitations, outbox, teams } = deps;
  const team = await change(deps, async () => {
    const previous = await findTeam(deps, teamId);
    if (!isAllowed(previous, status)) throw new ApiError("invalid-team-status-update");
    const isActivation = previous.status === "pending_active";
    const next = {
      status,
      statusChangedAt: previous.status === status ? previous.statusChangedAt : clock(),
      ...(isActivation && currency !== undefined && { currency }),
    };
    return {
      writes: previous.status === status ? [] : [teams.changeStatus(previous, next)],
      messages: isActivation ? [] : [orderTeamJob(outbox, { job: "align-members", teamId })],
      result: { ...previous, status },
    };
  });
  if (status === "suspended") await invitations.removeAll(teamId);
  await followTeamStatus(deps, team, undefined);
}

const isAllowed = ({ status }: Team, next: TeamStatus) =>
  next === "active"
    ? status === "pending_active" || status === "active" || status === "suspended"
    : next === "suspended" && (status === "active" || status === "suspended");
