import { chargeLogin } from "#shared/accounts/credentials/charge-password-check.ts";
import { verifyNothing, verifyPassword } from "#shared/accounts/credentials/password.ts";
import { settleLogin } from "#shared/accounts/credentials/verify-credentials.ts";
import { emailIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { providerCookie } from "#shared/sessions/tokens/authenticate.ts";
import type { Deps } from "./deps.ts";

/** Stands in for the owner of an address that no provider has. */
const nobody = "nobody";

/**
 * Log in a provider. An unknown address takes as long as a wrong password, and fails in the same way.
 *
 * @returns the `Set-Cookie` value
 * @throws ApiError `provider-login-failed`, `too-many-requests`
 * @throws RateLimitedError
 * @see operation `provider-login`
 */
export async function logIn(
  deps: Deps,
  { email, password }: { email: string; password: string },
  sourceIp: string,
): Promise<string> {
  const { providers, settings, tokens } = deps;
  const key = addressKey(email, deps);
  const identity = { kind: "provider-email", key } as const;
  const scope = { identity, network: networkOf(sourceIp) };
  const [provider, { isFamiliar }] = await Promise.all([
    providers.findOwner(key).then((providerId = nobody) => providers.getActive(providerId)),
    chargeLogin(deps, scope, "too-many-requests"),
  ]);
  const isRight =
    provider === undefined
      ? await verifyNothing(password, settings.setPasswordHashingOptions)
      : await verifyPassword(password, provider.passwordHash);
  if (provider === undefined || !isRight) throw new ApiError("provider-login-failed");
  const [{ text, expiresAtSeconds }] = await Promise.all([
    tokens.providerToken(provider.providerId),
    settleLogin(deps, { scope, isFamiliar }),
  ]);
  const expires = new Date(expiresAtSeconds * 1000).toUTCString();
  return `${providerCookie}=${text}; Path=/provider; Expires=${expires}; HttpOnly; Secure`;
}

/** A malformed address belongs to nobody, either. */
function addressKey(email: string, { settings }: Deps): string {
  try {
    return emailIdentity(email, settings).key;
  } catch (error) {
    if (error instanceof ApiError && error.error === "invalid-email")
      throw new ApiError("provider-login-failed");
    throw error;
  }
}
