import { hashPassword, verifyPassword } from "#shared/accounts/credentials/password.ts";
import type { Code } from "#shared/codes/code.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import type { ActiveProvider } from "#shared/services/provider.ts";
import type { Deps } from "./deps.ts";
import { codeKeyOf, resetReference } from "./provider-codes.ts";

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
