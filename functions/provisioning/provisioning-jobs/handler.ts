import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { startTimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { deleteBoundUsers } from "#shared/provisioning/delete-bound-users.ts";
import {
  orderProvisioningJob,
  type ProvisioningJob,
  provisioningJob,
} from "#shared/provisioning/provisioning-job.ts";
import { announceProvider } from "./announce-provider.ts";
import type { Deps } from "./deps.ts";

/** Handle messages from the queue `provisioning-jobs`. A job that runs out of time enqueues a message to continue. */
export const createHandler = (deps: Deps) =>
  createLeasedWorker(
    deps.outboxWorker,
    ({ payload }: OutboxItem) => run(deps, provisioningJob.parse(payload)),
    { ...deps, queue: "provisioning-jobs" },
  );

async function run(deps: Deps, job: ProvisioningJob): Promise<void> {
  if (job.job === "announce-provider") return announceProvider(deps, job);
  const isDone = await deleteBoundUsers(deps, job, startTimeLimit(deps.clock));
  if (!isDone) await change(deps, async () => ({ messages: [orderProvisioningJob(deps.outbox, job)] }));
}
