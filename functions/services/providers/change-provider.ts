import { hashPassword } from "#shared/accounts/credentials/password.ts";
import { emailIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { checkProviderPassword } from "#shared/services/check-provider-password.ts";
import type { ActiveProvider, Provider } from "#shared/services/provider.ts";
import type { Deps } from "./deps.ts";
import { codeKeyOf, issueActivation } from "./provider-codes.ts";
import { activationMail } from "./register-provider.ts";

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

/**
 * Send a code to the new address of a provider, which keeps the old one until `activateProvider`.
 *
 * @throws ApiError `invalid-email`, `invalid-provider`; `provider-email-exists`, also for its own address
 * @see operation `provider-update-email`
 */
export async function changeEmail(
  deps: Deps,
  providerId: string,
  text: string,
  sourceIp: string,
): Promise<void> {
  const { codes, providers, settings } = deps;
  const { key: emailKey, value: email } = emailIdentity(text, settings);
  const network = networkOf(sourceIp);
  await change(deps, async () => {
    const [provider, owner, previous] = await Promise.all([
      ownProvider(deps, providerId),
      providers.findOwner(emailKey),
      codes.get("provider-activation", codeKeyOf(emailKey)),
    ]);
    if (owner !== undefined) throw new ApiError("provider-email-exists");
    const issued = issueActivation(deps, provider, { email, emailKey, previous, network });
    return { writes: [codes.put(issued.code, previous)], messages: [activationMail(deps, provider, issued)] };
  });
}

/**
 * Change the password of a provider. Codes that were sent before, to reset the password or to change the address, are
 * void from then on.
 *
 * @throws ApiError `provider-login-failed`, also when the provider is gone or the password has changed meanwhile;
 *   `password-must-differ`, `too-many-requests`
 * @throws RateLimitedError
 * @see operation `provider-update-password`
 */
export async function changePassword(
  deps: Deps,
  providerId: string,
  { oldPassword, newPassword }: { oldPassword: string; newPassword: string },
): Promise<void> {
  const { codes, providers, settings } = deps;
  const checked = await providers.getActive(providerId);
  if (checked === undefined) throw new ApiError("provider-login-failed");
  await checkProviderPassword(deps, checked, oldPassword);
  if (newPassword === oldPassword) throw new ApiError("password-must-differ");
  const passwordHash = await hashPassword(newPassword, settings.setPasswordHashingOptions);
  await change(deps, async (attempt) => {
    const current = attempt === 1 ? checked : await providers.getActive(providerId);
    if (current?.passwordHash !== checked.passwordHash) throw new ApiError("provider-login-failed");
    return {
      writes: [
        providers.replace(current, { ...current, passwordHash }),
        codes.discard("provider-password-reset", codeKeyOf(current.emailKey)),
      ],
    };
  });
}
