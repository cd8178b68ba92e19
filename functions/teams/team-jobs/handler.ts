import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { type TeamJob, teamJob } from "#shared/teams/team-job.ts";
import { alignMembers } from "./align-members.ts";
import { deleteTeam } from "./deletion/delete-team.ts";
import type { Deps } from "./deps.ts";
import type { TimeLimit } from "./time-limit.ts";

/** How long one message is worked on: less than the function may run, by more than a step takes. */
const runSeconds = 90;

/** Handle messages from the queue `team-jobs`. A job that does not end in time goes on with a message of its own. */
export function createHandler(deps: Deps) {
  const { clock, outboxWorker } = deps;

  async function handle({ payload }: OutboxItem): Promise<void> {
    const stopAt = clock() + runSeconds * 1000;
    await run(deps, teamJob.parse(payload), () => clock() >= stopAt);
  }

  return createLeasedWorker(outboxWorker, handle, { ...deps, queue: "team-jobs" });
}

function run(deps: Deps, job: TeamJob, isTimeUp: TimeLimit): Promise<void> {
  switch (job.job) {
    case "delete":
      return deleteTeam(deps, job.teamId, isTimeUp);
    case "align-members":
      return alignMembers(deps, job, isTimeUp);
  }
}
