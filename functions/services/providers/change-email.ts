import { emailIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { ownProvider } from "./change-provider.ts";
import type { Deps } from "./deps.ts";
import { codeKeyOf, issueActivation } from "./provider-codes.ts";
import { activationMail } from "./send-activation.ts";

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
