import { hashPassword, verifyPassword } from "#shared/accounts/credentials/password.ts";
import { emailIdentity } from "#shared/accounts/identity.ts";
import { type Code, isLive } from "#shared/codes/code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import type { ActiveProvider } from "#shared/services/provider.ts";
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

/**
 * Replace the password of a provider with a reset code, which is used up.
 *
 * @throws ApiError `provider-code-rejected` for a wrong, exhausted, expired or unknown code; `password-must-differ`,
 *   which leaves the code usable
 * @see operations `provider-password-reset-complete`, `post-provider-reset`
 */
export async function completeReset(
  deps: Deps,
  { key, code: candidate, password }: { key: string; code: string; password: string },
  sourceIp: string,
): Promise<void> {
  const { codes, verificationCodes } = deps;
  const code = await codes.takeAttempt("provider-password-reset", key, networkOf(sourceIp));
  if (code === undefined || !(await verificationCodes.matches(resetReference(code), candidate)))
    throw new ApiError("provider-code-rejected");
  try {
    await replacePassword(deps, code, password);
  } catch (error) {
    await codes.returnAttempt(code);
    throw error;
  }
}

async function replacePassword(deps: Deps, code: Code, password: string): Promise<void> {
  const { codes, providers, settings } = deps;
  const provider = await resettable(deps, code);
  if (await verifyPassword(password, provider.passwordHash)) throw new ApiError("password-must-differ");
  const passwordHash = await hashPassword(password, settings.setPasswordHashingOptions);
  await change(deps, async (attempt) => {
    const current = attempt === 1 ? provider : await resettable(deps, code);
    if (attempt > 1 && (await codes.get(code.purpose, code.key))?.nonce !== code.nonce)
      throw new ApiError("provider-code-rejected");
    return { writes: [providers.replace(current, { ...current, passwordHash }), codes.consume(code)] };
  });
}

/**
 * The code may have been requested while the address changed, so that the change did not discard it.
 * @throws ApiError `provider-code-rejected` when the provider is gone or has another address
 */
async function resettable({ providers }: Deps, { key, userId = "" }: Code): Promise<ActiveProvider> {
  const provider = await providers.getActive(userId);
  if (provider === undefined || codeKeyOf(provider.emailKey) !== key)
    throw new ApiError("provider-code-rejected");
  return provider;
}
