import type { KeyObject } from "node:crypto";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { toPublicKey, verificationKeySet } from "./signing-keys.ts";
import { isSignedBy, parseToken, type Token } from "./token.ts";

/** Outcome of verifying a login token. */
export type Verification =
  | { readonly outcome: "valid" | "expired"; readonly token: Token }
  | { readonly outcome: "unparsable" }
  | { readonly outcome: "forged" };

/** Verifies login tokens against the public keys in memory. */
export class TokenVerifier {
  readonly #secrets: SecretReader;
  readonly #clock: Clock;

  constructor(secrets: SecretReader, { clock }: { clock: Clock }) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  async verify(text: string): Promise<Verification> {
    const token = parseToken(text);
    if (token === undefined) return { outcome: "unparsable" };
    const keys = await this.#secrets.get("verification-keys", readPublicKeys);
    const key = keys.get(token.keyIndex);
    if (key === undefined || !isSignedBy(text, key)) return { outcome: "forged" };
    return { outcome: token.expiresAtSeconds > toSeconds(this.#clock()) ? "valid" : "expired", token };
  }
}

function readPublicKeys(text: string): ReadonlyMap<number, KeyObject> {
  const { keys } = verificationKeySet.parse(JSON.parse(text));
  return new Map(keys.map(({ index, jwk }) => [index, toPublicKey(jwk)]));
}
