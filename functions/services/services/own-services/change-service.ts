import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Service, ServiceId } from "#shared/services/service.ts";
import type { Deps } from "../deps.ts";

type Fields = Partial<Pick<Service, "name" | "summary" | "description" | "assets" | "tags">>;

/**
 * Change the profile of a service, and where the directory has it.
 *
 * @throws ApiError `service-not-found`
 * @see operation `put-provider-services-by-service-id`
 */
export function changeService(deps: Deps, id: ServiceId, fields: Fields): Promise<void> {
  return change(deps, async () => {
    const service = await deps.services.get(id.providerId, id.serviceId);
    if (service === undefined) throw new ApiError("service-not-found");
    return { writes: deps.services.replace(service, { ...service, ...fields }) };
  });
}
