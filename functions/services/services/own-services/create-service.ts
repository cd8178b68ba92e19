import { randomBytes, randomUUID } from "node:crypto";
import { answer } from "#shared/platform/http/answer.ts";
import type { ProviderActor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { ProviderNotFoundError } from "#shared/services/provider-store.ts";
import { type Service, TooManyServicesError } from "#shared/services/service.ts";
import type { Deps } from "../deps.ts";
import { readKey } from "./change-service.ts";

type NewService = Pick<Service, "name" | "summary" | "description" | "assets" | "tags" | "baseUrl"> & {
  readonly publicKey: string;
  /** Generated when absent. */
  readonly authToken?: string;
};

const tokenBytes = 18;

/**
 * Create a service of a provider, which is not enabled.
 *
 * @throws ApiError `invalid-service-key`, `invalid-provider` when the provider is gone, `too-many-services`
 * @see operation `post-provider-services`
 */
export async function createService(
  { log, providers, services, ...deps }: Deps,
  { providerId }: ProviderActor,
  { publicKey, authToken, ...profile }: NewService,
): Promise<Omit<Service, "revision">> {
  const service = {
    ...profile,
    providerId,
    serviceId: randomUUID(),
    isEnabled: false,
    keys: [readKey(publicKey)],
    authTokens: [authToken ?? randomBytes(tokenBytes).toString("base64url")],
  };
  await change(deps, async () => ({
    writes: [...services.create(service), providers.requireActive(providerId)],
    afterCommit: async () => log.info("service-created", { providerId, serviceId: service.serviceId }),
  }))
    .catch(answer(ProviderNotFoundError, "invalid-provider"))
    .catch(answer(TooManyServicesError, "too-many-services"));
  return service;
}
