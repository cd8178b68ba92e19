import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { ActiveProvider, Provider } from "#shared/services/provider.ts";
import type { Deps } from "./deps.ts";

/** The provider of a token. @throws ApiError `invalid-provider` when it is gone */
export async function ownProvider(
  { providers }: Pick<Deps, "providers">,
  providerId: string,
): Promise<ActiveProvider> {
  const provider = await providers.getActive(providerId);
  if (provider === undefined) throw new ApiError("invalid-provider");
  return provider;
}

/** Find the provider of a token. @throws ApiError `provider-not-found` @see operation `provider-get-account` */
export async function getProvider(
  { providers }: Pick<Deps, "providers">,
  providerId: string,
): Promise<ActiveProvider> {
  const provider = await providers.getActive(providerId);
  if (provider === undefined) throw new ApiError("provider-not-found");
  return provider;
}

/** Change the profile of a provider. @throws ApiError `invalid-provider` @see operation `provider-update` */
export async function changeProvider(
  deps: Deps,
  providerId: string,
  update: Partial<Pick<Provider, "name" | "url" | "description">>,
): Promise<void> {
  await change(deps, async () => {
    const provider = await ownProvider(deps, providerId);
    const { name = provider.name, url = provider.url, description = provider.description } = update;
    return { writes: [deps.providers.replace(provider, { ...provider, name, url, description })] };
  });
}
