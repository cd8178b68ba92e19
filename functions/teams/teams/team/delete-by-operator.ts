import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "../deps.ts";
import { findTeam } from "./find-team.ts";
import { resumeDeletion } from "./resume-deletion.ts";

/**
 * Mark a team for deletion on behalf of the operator.
 *
 * @param command.isForced whether it may have more members than its founder
 * @throws ApiError `no-team`, `not-one-member-team`
 * @see operation `i-delete-team`
 */
export async function deleteByOperator(
  deps: Deps,
  { teamId, isForced }: { teamId: string; isForced: boolean },
): Promise<void> {
  const { clock, outbox, teams } = deps;
  await change(deps, async () => {
    const team = await findTeam(deps, teamId);
    if (team.status === "deleted") throw new ApiError("no-team");
    if (team.status === "pending_delete") {
      await resumeDeletion(deps, team);
      return undefined;
    }
    if (!isForced && team.memberCount > 1) throw new ApiError("not-one-member-team");
    return {
      writes: [teams.orderDeletion(team, clock(), { isAlone: !isForced })],
      messages: [orderTeamJob(outbox, { job: "delete", teamId })],
    };
  });
}
