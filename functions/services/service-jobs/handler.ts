import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { startTimeLimit, type TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { orderServiceJob, type ServiceJob, serviceJob } from "#shared/services/service-job.ts";
import { deleteProvider } from "./delete-provider.ts";
import { deleteService } from "./delete-service.ts";
import type { Deps } from "./deps.ts";
import { leaveTeam } from "./remove-bots.ts";

/** Handle messages from the queue `service-jobs`. A job that runs out of time enqueues a message to continue. */
export function createHandler(deps: Deps) {
  const { clock, outbox, outboxWorker } = deps;

  async function handle({ payload }: OutboxItem): Promise<void> {
    const job = serviceJob.parse(payload);
    const hasEnded = await run(deps, job, startTimeLimit(clock));
    if (!hasEnded) await change(deps, async () => ({ messages: [orderServiceJob(outbox, job)] }));
  }

  return createLeasedWorker(outboxWorker, handle, { ...deps, queue: "service-jobs" });
}

/** @returns false when time ran out */
function run(deps: Deps, job: ServiceJob, isTimeUp: TimeLimit): Promise<boolean> {
  switch (job.job) {
    case "delete-service":
      return deleteService(deps, job, isTimeUp);
    case "delete-provider":
      return deleteProvider(deps, job.providerId, isTimeUp);
    case "leave-team":
      return leaveTeam(deps, job, isTimeUp);
  }
}
