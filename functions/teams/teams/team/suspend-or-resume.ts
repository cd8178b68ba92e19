import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { changeStatus } from "./change-status.ts";

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
