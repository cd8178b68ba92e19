import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { ServiceJob } from "#shared/services/service-job.ts";
import type { Deps } from "./deps.ts";
import { removeBots } from "./remove-bots.ts";

type Order = Extract<ServiceJob, { job: "leave-team" }>;

/**
 * Remove the bots of a service from all conversations of a team, in the name of whoever has taken it off the list, even
 * if that user is not in them. If the team admits the service again, the bots that are left stay. @returns false when
 * time ran out
 */
export async function leaveTeam(deps: Deps, order: Order, isTimeUp: TimeLimit): Promise<boolean> {
  const { teamId, actor } = order;
  if (await deps.whitelist.isAdmitted(teamId, order)) return true;
  return removeBots(deps, deps.bots.ofServiceInTeam(order, teamId), { actor, isTimeUp });
}
