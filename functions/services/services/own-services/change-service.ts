import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { parseRsaKey, rsaFingerprint } from "#shared/platform/outbound/rsa-key.ts";
import type { Service, ServiceId } from "#shared/services/service.ts";
import type { Deps } from "../deps.ts";
import { confirmAsProvider } from "./delete-service.ts";

type Fields = Partial<Pick<Service, "name" | "summary" | "description" | "assets" | "tags">>;

/**
 * Change the profile of a service, and its entries in the directory.
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

interface Connection extends Partial<Pick<Service, "baseUrl" | "authTokens" | "isEnabled">> {
  readonly password: string;
  readonly publicKeys?: readonly string[];
}

/**
 * Change how a service is reached, or enable or disable it, which adds it to the directory or removes it.
 *
 * @throws ApiError `provider-login-failed`, `too-many-requests`, `service-not-found`, `invalid-service-key`; the order of
 *   the checks is part of the interface
 * @see operation `put-provider-services-connection-by-service-id`
 */
export async function changeConnection(
  deps: Deps,
  id: ServiceId,
  { password, publicKeys, baseUrl, authTokens, isEnabled }: Connection,
): Promise<void> {
  const { log, services } = deps;
  await confirmAsProvider(deps, id, password);
  await change(deps, async () => {
    const service = await services.get(id.providerId, id.serviceId);
    if (service === undefined) throw new ApiError("service-not-found");
    const next = {
      ...service,
      baseUrl: baseUrl ?? service.baseUrl,
      keys: publicKeys?.map(readKey) ?? service.keys,
      authTokens: authTokens ?? service.authTokens,
      isEnabled: isEnabled ?? service.isEnabled,
    };
    return {
      writes: services.replace(service, next),
      afterCommit: async () => log.info("service-connection-changed", { ...id, isEnabled: next.isEnabled }),
    };
  });
}

/** Enable or disable a service for an operator. @throws ApiError `service-not-found` */
export async function enableService(deps: Deps, id: ServiceId, isEnabled: boolean): Promise<void> {
  const { log, services } = deps;
  await change(deps, async () => {
    const service = await services.get(id.providerId, id.serviceId);
    if (service === undefined) throw new ApiError("service-not-found");
    if (service.isEnabled === isEnabled) return undefined;
    return {
      writes: services.replace(service, { ...service, isEnabled }),
      afterCommit: async () => log.info("service-connection-changed", { ...id, isEnabled }),
    };
  });
}

/** Reads the public key of a service. @throws ApiError `invalid-service-key` unless it is RSA of 2048 bits or more */
export function readKey(pem: string): Service["keys"][number] {
  const key = parseRsaKey(pem);
  const fingerprint = key && rsaFingerprint(key);
  const bits = key?.asymmetricKeyDetails?.modulusLength;
  if (fingerprint === undefined || bits === undefined) throw new ApiError("invalid-service-key");
  return { pem, bits, fingerprint };
}
