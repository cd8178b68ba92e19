import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { type ProvisioningJob, provisioningJob } from "#shared/provisioning/provisioning-job.ts";
import type { Deps } from "./deps.ts";

/** Handle messages from the queue `provisioning-jobs`. */
export const createHandler = (deps: Deps) =>
  createLeasedWorker(deps.outboxWorker, ({ payload }) => run(deps, provisioningJob.parse(payload)), {
    ...deps,
    queue: "provisioning-jobs",
  });

async function run(_deps: Deps, _job: ProvisioningJob): Promise<void> {}
