import { hashPassword } from "#shared/accounts/credentials/password.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkProviderPassword } from "#shared/services/check-provider-password.ts";
import type { Deps } from "./deps.ts";
import { codeKeyOf } from "./provider-codes.ts";

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
