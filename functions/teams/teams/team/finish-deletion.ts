import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "../deps.ts";
import { findTeam } from "./find-team.ts";

/**
 * Enqueue the rest of a deletion immediately, however recently it was enqueued.
 *
 * @throws ApiError `no-team`, `invalid-team-status-update` for a team that is not marked for deletion
 * @see operation `i-finalize-team-deletion`
 */
export async function finishDeletion(deps: Deps, teamId: string): Promise<void> {
  const { clock, outbox, teams } = deps;
  await change(deps, async () => {
    const team = await findTeam(deps, teamId);
    if (team.status === "deleted") return undefined;
    if (team.status !== "pending_delete") throw new ApiError("invalid-team-status-update");
    return {
      writes: [teams.orderDeletion(team, clock())],
      messages: [orderTeamJob(outbox, { job: "delete", teamId })],
    };
  });
}
