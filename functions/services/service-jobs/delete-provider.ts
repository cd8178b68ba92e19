import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { ServiceId } from "#shared/services/service.ts";
import { deleteService } from "./delete-service.ts";
import type { Deps } from "./deps.ts";

/**
 * Delete a provider that is marked for it, so that it can create no more services: first all its services are disabled,
 * then they are deleted one by one, and finally the account, which frees its address. A service that cannot be deleted
 * does not delay the others. @returns false when time ran out
 */
export async function deleteProvider(deps: Deps, providerId: string, isTimeUp: TimeLimit): Promise<boolean> {
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
