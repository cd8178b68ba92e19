import { hash, type KeyObject } from "node:crypto";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { signingKeySet, toPrivateKey, toPublicKey, verificationKeySet } from "./signing-keys.ts";
import { isSignedBy, parseToken, type Token } from "./token.ts";

/** Outcome of verifying a token. */
export type Verification =
  | { readonly outcome: "valid" | "expired"; readonly token: Token }
  | { readonly outcome: "unparsable" }
  | { readonly outcome: "forged" };

interface VerifierContext {
  readonly secrets: SecretReader;
  readonly clock: Clock;
}

/** Verifies tokens against the keys in memory. */
export class TokenVerifier {
  readonly #secrets: SecretReader;
  readonly #clock: Clock;
  readonly #holdsSigningKeys: boolean;

  /** @param context.holdsSigningKeys whether the function may read the private keys, which verify faster */
  constructor({
    secrets,
    clock,
    holdsSigningKeys = false,
  }: VerifierContext & { holdsSigningKeys?: boolean }) {
    this.#secrets = secrets;
    this.#clock = clock;
    this.#holdsSigningKeys = holdsSigningKeys;
  }

  async verify(text: string): Promise<Verification> {
    const token = parseToken(text);
    if (token === undefined) return { outcome: "unparsable" };
    const key = await this.#keyOf(token);
    if (key === undefined || !key.hasSigned(text)) return { outcome: "forged" };
    const isValid = token.type === "bot" || token.expiresAtSeconds > toSeconds(this.#clock());
    return { outcome: isValid ? "valid" : "expired", token };
  }

  /** Read the keys ahead of the first token. */
  async warmUp(): Promise<void> {
    await this.#keys();
  }

  #keys() {
    return Promise.all([
      this.#secrets.get("verification-keys", readPublicKeys),
      this.#holdsSigningKeys ? this.#secrets.get("signing-keys", readPrivateKeys) : undefined,
    ]);
  }

  /** Only published keys count, even for a function with private keys of its own. */
  async #keyOf({ keyIndex, type }: Token): Promise<VerificationKey | undefined> {
    const [published, own] = await this.#keys();
    const found = published.get(keyIndex);
    if (found?.isRetired && type !== "bot") return undefined;
    return found && (own?.get(found.x) ?? found.key);
  }
}

/** Verifies tokens in functions that may read the private keys. */
export class SigningTokenVerifier extends TokenVerifier {
  constructor({ secrets, clock }: VerifierContext) {
    super({ secrets, clock, holdsSigningKeys: true });
  }
}

/** Maximum number of tokens that are remembered for a key. */
const maxRemembered = 1000;

/** Tells whether a key has signed a token. */
interface VerificationKey {
  hasSigned(text: string): boolean;
}

/** A public key, and the hashes of tokens that it has signed: an app sends the same token for a quarter of an hour. */
class PublicKey implements VerificationKey {
  readonly #key: KeyObject;
  readonly #remembered = new Set<string>();

  constructor(key: KeyObject) {
    this.#key = key;
  }

  hasSigned(text: string): boolean {
    const digest = hash("sha256", text, "base64");
    if (this.#remembered.has(digest)) return true;
    if (!isSignedBy(text, this.#key)) return false;
    if (this.#remembered.size === maxRemembered) this.#remembered.clear();
    this.#remembered.add(digest);
    return true;
  }
}

/** By index, with the public half, which identifies the key. */
function readPublicKeys(
  text: string,
): ReadonlyMap<number, { x: string; key: VerificationKey; isRetired: boolean }> {
  const { keys } = verificationKeySet.parse(JSON.parse(text));
  return new Map(
    keys.map(({ index, jwk, isRetired = false }) => [
      index,
      { x: jwk.x, key: new PublicKey(toPublicKey(jwk)), isRetired },
    ]),
  );
}

/** By their public halves. */
function readPrivateKeys(text: string): ReadonlyMap<string, VerificationKey> {
  const { keys } = signingKeySet.parse(JSON.parse(text));
  return new Map(
    keys.map(({ jwk }) => {
      const key = toPrivateKey(jwk);
      return [jwk.x, { hasSigned: (token) => isSignedBy(token, key) }];
    }),
  );
}
