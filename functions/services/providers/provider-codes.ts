import { createHash } from "node:crypto";
import { emailIdentity } from "#shared/accounts/identity.ts";
import { type ActivationCode, type Code, isLive } from "#shared/codes/code.ts";
import type { CodeStore } from "#shared/codes/code-store.ts";
import { issueCode } from "#shared/codes/issue-code.ts";
import { newNonce, type VerificationCodes } from "#shared/codes/verification-code.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Provider, providerCodeLifetimes } from "#shared/services/provider.ts";

/** Maximum number of activation codes for an address: one for each provider that waits for it. */
const maxCodes = 8;

/** Key of the codes of an address: 20 characters, always the same for one address. */
export const codeKeyOf = (emailKey: string): string =>
  createHash("sha256").update(emailKey).digest().toString("base64url", 0, 15);

/** Data from which the text of an activation code is derived. */
export const activationReference = (key: string, { nonce }: Pick<ActivationCode, "nonce">) =>
  ({ purpose: "provider-activation", codeKey: key, nonce }) as const;

/** Data from which the text of a reset code is derived. */
export const resetReference = ({ key, nonce }: Code) =>
  ({ purpose: "provider-password-reset", codeKey: key, nonce }) as const;

interface Deps {
  readonly clock: Clock;
  readonly codes: CodeStore;
  readonly settings: Settings;
  readonly verificationCodes: VerificationCodes;
}

/**
 * Issues an activation code for a provider. It replaces the last one for the same provider, but not those of others who
 * wait for the address: otherwise a stranger could have the owner of the address confirm the wrong account. A code is
 * void once the password changes.
 *
 * @throws RateLimitedError within `set2FACodeGenerationDelaySecs` of the last code for the address
 */
export function issueActivation(
  { clock, settings }: Pick<Deps, "clock" | "settings">,
  { providerId, passwordHash }: Pick<Provider, "providerId" | "passwordHash">,
  {
    email,
    emailKey,
    previous,
    network,
  }: { email: string; emailKey: string; previous: Code | undefined; network: string },
): { code: Code; activation: ActivationCode } {
  const now = clock();
  const lifetimeSeconds = providerCodeLifetimes.activation;
  const activation: ActivationCode = {
    nonce: newNonce(),
    requestedAt: now,
    expiresAt: toSeconds(now) + lifetimeSeconds,
    email,
    userId: providerId,
    passwordHash,
  };
  const others = unexpired(previous, now).filter(({ userId }) => userId !== providerId);
  const content = {
    purpose: "provider-activation",
    key: codeKeyOf(emailKey),
    activations: [...others, activation].slice(-maxCodes),
  } as const;
  return {
    code: issueCode(content, previous, { ...issuing(settings, now, network), lifetimeSeconds }),
    activation,
  };
}

/** @throws RateLimitedError within `set2FACodeGenerationDelaySecs` of the last code for the address */
export const issueReset = (
  { clock, settings }: Pick<Deps, "clock" | "settings">,
  {
    providerId,
    emailKey,
    previous,
    network,
  }: { providerId: string; emailKey: string; previous: Code | undefined; network: string },
): Code =>
  issueCode({ purpose: "provider-password-reset", key: codeKeyOf(emailKey), userId: providerId }, previous, {
    ...issuing(settings, clock(), network),
    lifetimeSeconds: providerCodeLifetimes.passwordReset,
  });

const issuing = (settings: Settings, now: number, network: string) => ({
  settings,
  now,
  network,
  deliveryLimits: { burst: 1, refillSeconds: settings.set2FACodeGenerationDelaySecs },
});

const unexpired = (code: Code | undefined, now: number): ActivationCode[] =>
  code?.activations?.filter(({ expiresAt }) => expiresAt > toSeconds(now)) ?? [];

/** Find the activation code, used or not, that a caller has entered. */
export async function enteredActivation(
  { clock, verificationCodes }: Pick<Deps, "clock" | "verificationCodes">,
  code: Code,
  candidate: string,
): Promise<ActivationCode | undefined> {
  const activations = unexpired(code, clock());
  const matches = await Promise.all(
    activations.map((activation) =>
      verificationCodes.matches(activationReference(code.key, activation), candidate),
    ),
  );
  return activations.find((_, index) => matches[index]);
}

/** Find the newest pending activation code of an address. @throws ApiError `invalid-email`, `no-provider-code` */
export async function findPendingActivation(
  deps: Deps,
  email: string,
): Promise<{ key: string; code: string }> {
  const { clock, codes, settings, verificationCodes } = deps;
  const now = clock();
  const key = codeKeyOf(emailIdentity(email, settings).key);
  const found = await codes.get("provider-activation", key);
  const newest = unexpired(found, now).findLast(({ usedBy }) => usedBy === undefined);
  if (found === undefined || newest === undefined || !isLive(found, toSeconds(now)))
    throw new ApiError("no-provider-code");
  return { key, code: await verificationCodes.derive(activationReference(key, newest)) };
}

/** Find the pending reset code of an address. @throws ApiError `invalid-email`, `no-provider-code` */
export async function findPendingReset(deps: Deps, email: string): Promise<{ key: string; code: string }> {
  const { clock, codes, settings, verificationCodes } = deps;
  const key = codeKeyOf(emailIdentity(email, settings).key);
  const found = await codes.get("provider-password-reset", key);
  if (found === undefined || !isLive(found, toSeconds(clock()))) throw new ApiError("no-provider-code");
  return { key, code: await verificationCodes.derive(resetReference(found)) };
}
