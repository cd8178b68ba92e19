import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from "node:crypto";
import * as z from "zod";
import { secretLifetimeSeconds } from "#shared/platform/secrets/secret-reader.ts";

const privateJwk = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  d: z.string(),
});
const publicJwk = privateJwk.omit({ d: true });

/** Content of the secret `signing-keys`: Ed25519 private keys by index, oldest first. */
export const signingKeySet = z.object({
  keys: z.array(
    z.object({
      /** The value of `k` in tokens. */
      index: z.int().min(1),
      /** Unix seconds from which the key signs; until then, verifiers have time to read it. */
      signFromSeconds: z.int(),
      jwk: privateJwk,
    }),
  ),
});
export type SigningKeySet = z.infer<typeof signingKeySet>;

/** Content of the secret `verification-keys`: the public halves. */
export const verificationKeySet = z.object({
  keys: z.array(z.object({ index: z.int().min(1), jwk: publicJwk })),
});
export type VerificationKeySet = z.infer<typeof verificationKeySet>;

/** Longest lifetime of anything signed: the 24 weeks of an OAuth refresh token. */
const longestSignatureSeconds = 14_515_200;

/** Creates a set with one key, which signs immediately. */
export function newSigningKeySet(nowSeconds: number): SigningKeySet {
  return { keys: [newKey(1, nowSeconds)] };
}

/**
 * Add a key and drop those that no live token needs. The new key starts to sign after two `secretLifetimeSeconds`, when
 * every verifier has read it.
 */
export function rotateSigningKeys(current: SigningKeySet, nowSeconds: number): SigningKeySet {
  const newest = current.keys.at(-1);
  if (newest === undefined) return newSigningKeySet(nowSeconds);
  const needed = current.keys.filter((_, position) => {
    const successor = current.keys[position + 1];
    return successor === undefined || successor.signFromSeconds + longestSignatureSeconds > nowSeconds;
  });
  return { keys: [...needed, newKey(newest.index + 1, nowSeconds + 2 * secretLifetimeSeconds)] };
}

/** The public halves of a set. */
export function verificationKeysOf({ keys }: SigningKeySet): VerificationKeySet {
  return { keys: keys.map(({ index, jwk: { kty, crv, x } }) => ({ index, jwk: { kty, crv, x } })) };
}

/** The key that signs now; `keys` are sorted from oldest to newest. @throws Error while there is none */
export function activeKey<Key extends { signFromSeconds: number }>(
  keys: readonly Key[],
  nowSeconds: number,
): Key {
  const key = keys.findLast(({ signFromSeconds }) => signFromSeconds <= nowSeconds);
  if (key === undefined) throw new Error("No signing key is active yet");
  return key;
}

/** The private key in a JSON Web Key. */
export const toPrivateKey = (jwk: JsonWebKey) => createPrivateKey({ key: jwk, format: "jwk" });
/** The public key in a JSON Web Key, private or public. */
export const toPublicKey = (jwk: JsonWebKey) => createPublicKey({ key: jwk, format: "jwk" });

function newKey(index: number, signFromSeconds: number) {
  const jwk = privateJwk.parse(generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }));
  return { index, signFromSeconds, jwk };
}
