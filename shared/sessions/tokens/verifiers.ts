import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { JwtVerifier } from "./jwt.ts";
import { SigningTokenVerifier, TokenVerifier } from "./token-verifier.ts";

/** Verifiers of the two kinds of access tokens. */
export interface Verifiers {
  readonly verifier: TokenVerifier;
  readonly jwtVerifier: JwtVerifier;
}

/** Dependencies of every family whose routes authenticate users, for `declareDeps`. */
export const verifiers = { secrets: SecretReader, verifier: TokenVerifier, jwtVerifier: JwtVerifier };

/** The same for families that sign tokens themselves. */
export const signingVerifiers = { ...verifiers, verifier: SigningTokenVerifier };
