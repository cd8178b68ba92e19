import { ApiError } from "#shared/platform/http/api-error.ts";
import type { ProviderActor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkProviderPassword } from "#shared/services/check-provider-password.ts";
import type { ServiceId } from "#shared/services/service.ts";
import { orderServiceJob } from "#shared/services/service-job.ts";
import type { Deps } from "../deps.ts";

/**
 * Delete a service: from now on it counts as unknown, and a job removes its bots and everything else.
 *
 * @throws ApiError `provider-login-failed`, `too-many-requests`, `service-not-found`
 * @see operation `delete-provider-services-by-service-id`
 */
export async function deleteService(deps: Deps, id: ServiceId, password: string): Promise<void> {
  await confirmAsProvider(deps, id, password);
  await beginDeletion(deps, id);
}

/** Delete a service; the caller has checked the right to do so. @throws ApiError `service-not-found` */
export async function beginDeletion(deps: Deps, { providerId, serviceId }: ServiceId): Promise<void> {
  const { log, outbox, services } = deps;
  await change(deps, async () => {
    const service = await services.get(providerId, serviceId);
    if (service === undefined) throw new ApiError("service-not-found");
    return {
      writes: services.beginDeletion(service),
      messages: [orderServiceJob(outbox, { job: "delete-service", providerId, serviceId })],
      afterCommit: async () => log.info("service-deletion-started", { providerId, serviceId }),
    };
  });
}

/**
 * Make sure that the holder of a provider's token also knows the password.
 *
 * @throws ApiError `provider-login-failed`, also when the provider is gone; `too-many-requests`
 */
export async function confirmAsProvider(
  deps: Deps,
  { providerId }: ProviderActor,
  password: string,
): Promise<void> {
  const provider = await deps.providers.getActive(providerId);
  if (provider === undefined) throw new ApiError("provider-login-failed");
  await checkProviderPassword(deps, provider, password);
}
