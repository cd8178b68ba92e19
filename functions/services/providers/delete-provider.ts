import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkProviderPassword } from "#shared/services/check-provider-password.ts";
import { orderServiceJob } from "#shared/services/service-job.ts";
import { ownProvider } from "./change-provider.ts";
import type { Deps } from "./deps.ts";
import { codeKeyOf } from "./provider-codes.ts";

/**
 * Delete a provider: from now on it counts as unknown. Its services, its address and its record are removed by a job.
 *
 * @throws ApiError `invalid-provider`; `provider-login-failed`, also when the password has changed meanwhile;
 *   `too-many-requests`
 * @throws RateLimitedError
 * @see operation `provider-delete`
 */
export async function deleteProvider(deps: Deps, providerId: string, password: string): Promise<void> {
  const { codes, outbox, providers } = deps;
  const checked = await ownProvider(deps, providerId);
  await checkProviderPassword(deps, checked, password);
  await change(deps, async (attempt) => {
    const current = attempt === 1 ? checked : await ownProvider(deps, providerId);
    if (current.passwordHash !== checked.passwordHash) throw new ApiError("provider-login-failed");
    return {
      writes: [
        providers.beginDeletion(current),
        codes.discard("provider-password-reset", codeKeyOf(current.emailKey)),
      ],
      messages: [orderServiceJob(outbox, { job: "delete-provider", providerId })],
    };
  });
}
