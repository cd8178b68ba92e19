import { emailIdentity } from "#shared/accounts/identity.ts";
import { isLive } from "#shared/codes/code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import type { Deps } from "./deps.ts";
import { codeKeyOf, issueReset, resetReference } from "./provider-codes.ts";

/**
 * Send a code that resets the password of a provider. The interface reveals whether a provider has an address, here and
 * in registrations.
 *
 * @throws ApiError `invalid-email`; `provider-login-failed` for an unknown address; `code-exists` while one is pending
 * @see operation `provider-password-reset`
 */
export async function requestReset(deps: Deps, text: string, sourceIp: string): Promise<void> {
  const { clock, codes, outbox, providers, settings } = deps;
  const { key: emailKey } = emailIdentity(text, settings);
  const network = networkOf(sourceIp);
  await change(deps, async () => {
    const [provider, previous] = await Promise.all([
      providers
        .findOwner(emailKey)
        .then((owner) => (owner === undefined ? undefined : providers.getActive(owner))),
      codes.get("provider-password-reset", codeKeyOf(emailKey)),
    ]);
    if (provider === undefined) throw new ApiError("provider-login-failed");
    const now = toSeconds(clock());
    if (previous !== undefined && isLive(previous, now, network))
      throw new ApiError("code-exists", { retryAfterSeconds: previous.expiresAt - now });
    const code = issueReset(deps, { providerId: provider.providerId, emailKey, previous, network });
    const mail: MailMessage = {
      template: "provider-password-reset",
      to: provider.email,
      key: code.key,
      code: resetReference(code),
    };
    return { writes: [codes.put(code, previous)], messages: [outbox.message("mail", mail)] };
  });
}
