import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { startTimeLimit, type TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { ServiceId } from "#shared/services/service.ts";
import { orderServiceJob, type ServiceJob, serviceJob } from "#shared/services/service-job.ts";
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

/**
 * Delete a provider that is marked for it, so that it can create no more services: first all its services are disabled,
 * then they are deleted one by one, and finally the account, which frees its address. A service that cannot be deleted
 * does not delay the others. @returns false when time ran out
 */
async function deleteProvider(deps: Deps, providerId: string, isTimeUp: TimeLimit): Promise<boolean> {
  const { log, providers, services } = deps;
  const provider = await providers.getEvenDeleted(providerId);
  if (provider?.isBeingDeleted === undefined) return true;
  const failures = new Failures("services");
  const owned = await services.ofProviderWithDeleted(providerId);
  await failures.collectAll(owned.map((service) => beginDeletion(deps, service)));
  for (const service of owned) {
    const hasEnded = await failures.collect(deleteService(deps, service, isTimeUp));
    if (hasEnded === false) return false;
  }
  failures.throwOr(undefined);
  await change(deps, async () => {
    const found = await providers.getEvenDeleted(providerId);
    if (found?.isBeingDeleted === undefined) return undefined;
    return {
      writes: [...providers.finishDeletion(found), services.removeCount(providerId)],
      afterCommit: async () => log.info("provider-deleted", { providerId }),
    };
  });
  return true;
}

function beginDeletion(deps: Deps, { providerId, serviceId }: ServiceId): Promise<void> {
  return change(deps, async () => {
    const service = await deps.services.get(providerId, serviceId);
    return service && { writes: deps.services.beginDeletion(service) };
  });
}
