import { storedEmailIdentity } from "#shared/accounts/identity.ts";
import type { ActivationCode, AttemptedCode, Code } from "#shared/codes/code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { newNonce } from "#shared/codes/verification-code.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { ProviderEmailTakenError } from "#shared/services/provider-store.ts";
import type { Deps } from "./deps.ts";
import { codeKeyOf, enteredActivation } from "./provider-codes.ts";

export interface ProviderActivation {
  readonly email: string;
  /** Whether the provider had the address already. */
  readonly wasActive: boolean;
}

/**
 * Give a provider the address that its code was sent to, and free the former one; a pending password reset there is
 * discarded. A used code is kept, so that a repetition can be recognised.
 *
 * @throws ApiError `provider-code-rejected` for a wrong, used, exhausted or expired code, and for one that is older
 * than the password; `provider-email-exists` when another provider was faster
 * @see operations `provider-activate`, `post-provider-activation`
 */
export async function activateProvider(
  deps: Deps,
  command: { key: string; code: string },
  sourceIp: string,
): Promise<ProviderActivation> {
  const { codes } = deps;
  const taken = await codes.takeAttempt("provider-activation", command.key, networkOf(sourceIp));
  const entered = taken && (await enteredActivation(deps, taken, command.code));
  if (taken === undefined || entered === undefined) throw new ApiError("provider-code-rejected");
  try {
    const activation = await activateWith(deps, taken, entered);
    if (activation.wasActive) await codes.returnAttempt(taken);
    return activation;
  } catch (error) {
    await codes.returnAttempt(taken);
    throw error;
  }
}

function activateWith(
  deps: Deps,
  taken: AttemptedCode,
  entered: ActivationCode,
): Promise<ProviderActivation> {
  const { codes, outbox, providers, settings } = deps;
  return change<ProviderActivation>(deps, async (attempt) => {
    const current = attempt === 1 ? taken : await codes.get("provider-activation", taken.key);
    const activation = current?.activations?.find(({ nonce }) => nonce === entered.nonce);
    const provider = activation && (await providers.get(activation.userId ?? ""));
    if (current === undefined || activation?.email === undefined || provider === undefined)
      throw new ApiError("provider-code-rejected");
    const { key: emailKey, value: email } = storedEmailIdentity(activation.email, settings);
    if (provider.emailKey === emailKey) return { result: { email, wasActive: true } };
    const isVoid = activation.usedBy !== undefined || activation.passwordHash !== provider.passwordHash;
    if (isVoid) throw new ApiError("provider-code-rejected");
    const welcome: MailMessage = { template: "provider-approved", to: email };
    return {
      writes: [
        ...providers.claimEmail(provider, { email, emailKey }),
        codes.put(markUsed(current, activation), current),
        ...(provider.emailKey === undefined
          ? []
          : [codes.discard("provider-password-reset", codeKeyOf(provider.emailKey))]),
      ],
      messages: provider.emailKey === undefined ? [outbox.message("mail", welcome)] : [],
      result: { email, wasActive: false },
    };
  }).catch(answer(ProviderEmailTakenError, "provider-email-exists"));
}

/** The codes of an address with one marked as used; a correct code gives all attempts back. */
const markUsed = (code: Code, used: ActivationCode): Code => ({
  ...code,
  nonce: newNonce(),
  attempts: 0,
  attemptsBy: {},
  activations: code.activations?.map((activation) =>
    activation.nonce === used.nonce ? { ...activation, usedBy: activation.userId } : activation,
  ),
});
