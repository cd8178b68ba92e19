import { endTeamLegalHold } from "#shared/conversations/legal-hold/end-team-legal-hold.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "./deps.ts";

/** End legal hold for all members of a team whose service is removed, or whose feature is switched off. */
export async function endLegalHold(deps: Deps, teamId: string, isTimeUp: TimeLimit): Promise<void> {
  if (await endTeamLegalHold(deps, teamId, isTimeUp)) return;
  await change(deps, async () => ({
    messages: [orderTeamJob(deps.outbox, { job: "end-legal-hold", teamId })],
  }));
}
