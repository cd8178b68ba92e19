import type { Clock } from "#shared/platform/clock.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { JwtVerifier } from "./jwt.ts";
import { TokenVerifier } from "./token-verifier.ts";

/** Verifiers of the two kinds of access tokens. */
export interface Verifiers {
  readonly verifier: TokenVerifier;
  readonly jwtVerifier: JwtVerifier;
}

/**
 * Creates the verifiers for a family whose routes authenticate users.
 * @param options.holdsSigningKeys for families that sign tokens themselves
 */
export const createVerifiers = (
  { settings, clock }: { readonly settings: Settings; readonly clock: Clock },
  secrets: SecretReader,
  { holdsSigningKeys = false }: { readonly holdsSigningKeys?: boolean } = {},
): Verifiers => ({
  verifier: new TokenVerifier(secrets, { clock, holdsSigningKeys }),
  jwtVerifier: new JwtVerifier(secrets, { settings, clock }),
});
