import { ApiError } from "#shared/platform/http/api-error.ts";
import type { ProviderActor } from "#shared/platform/http/route.ts";
import { checkProviderPassword } from "#shared/services/check-provider-password.ts";
import type { Deps } from "../deps.ts";

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
