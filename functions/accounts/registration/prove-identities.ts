import { enteredCode } from "#shared/accounts/activation/activation-code.ts";
import type { IdentityRecord } from "#shared/accounts/identity-lookup.ts";
import type { ActivationCode, AttemptedCode } from "#shared/codes/code.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import type { Deps } from "./deps.ts";
import type { NewUser } from "./routes.ts";

/** A correct code of a registration. */
export interface Proof {
  /** All codes of the address, with the attempt that this check has taken. */
  readonly taken: AttemptedCode;
  readonly code: ActivationCode;
}

/** The code by which a registration proves one of its identities. */
export const codeFor = (
  { kind }: IdentityRecord["identity"],
  { email_code, phone_code }: NewUser,
): string | undefined => (kind === "email" ? email_code : phone_code);

/**
 * Check the codes of a registration. Each costs an attempt, which `returnAttempts` gives back.
 * @throws ApiError `activation-code-rejected` for the first wrong or used one
 */
export async function proveIdentities(
  deps: Deps,
  records: readonly IdentityRecord[],
  user: NewUser,
  sourceIp: string,
): Promise<Proof[]> {
  const { clock, codes, verificationCodes } = deps;
  const proofs: Proof[] = [];
  for (const { identity, activation } of records) {
    const candidate = codeFor(identity, user);
    if (candidate === undefined) continue;
    const taken = activation && (await codes.takeAttempt("activation", activation.key, networkOf(sourceIp)));
    const code = taken && (await enteredCode(verificationCodes, taken, { candidate, now: clock() }));
    if (taken === undefined || code === undefined || code.usedBy !== undefined) {
      await returnAttempts(deps, proofs);
      throw new ApiError("activation-code-rejected");
    }
    proofs.push({ taken, code });
  }
  return proofs;
}

/** Give back the attempts that correct codes have cost, when nothing came of them. */
export async function returnAttempts({ codes }: Deps, proofs: readonly Proof[]): Promise<void> {
  await Promise.all(proofs.map(({ taken }) => codes.returnAttempt(taken)));
}
