import { createECDH, hkdfSync, type KeyObject } from "node:crypto";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import {
  activeKey,
  currentKeys,
  type SigningKeySet,
  signingKeySet,
  toPrivateKey,
  toPublicKey,
  verificationKeySet,
} from "#shared/sessions/tokens/signing-keys.ts";

type Key = SigningKeySet["keys"][number];
type Deps = { readonly secrets: SecretReader };

/** Order of the curve P-256 (FIPS 186-5, SP 800-186 §3.2.1.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * The P-256 key derived from a signing key, with 64 more bits than the curve's order, so that the bias is negligible
 * (FIPS 186-5 §A.2.1).
 */
function derive({ index, jwk }: Key) {
  const seed = Buffer.from(jwk.d, "base64url");
  const bytes = Buffer.from(hkdfSync("sha256", seed, "", "id tokens by ES256", 40));
  const scalar = (BigInt(`0x${bytes.toString("hex")}`) % (order - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, "0"), "hex");
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const publicJwk = {
    kty: "EC" as const,
    crv: "P-256" as const,
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const privateKey = toPrivateKey({ ...publicJwk, d: d.toString("base64url") });
  return { index, jwk, kid: `${index}-ES256`, publicJwk, privateKey };
}

const readDerived = (text: string) => signingKeySet.parse(JSON.parse(text)).keys.map(derive);
const readSigning = (text: string) =>
  signingKeySet.parse(JSON.parse(text)).keys.map((key) => ({
    ...key,
    kid: String(key.index),
    privateKey: toPrivateKey(key.jwk),
  }));
const readPublished = (text: string) => verificationKeySet.parse(JSON.parse(text));

/** The key that signs id tokens now. @throws Error while there is none */
export async function idTokenKey(
  { secrets }: Deps,
  algorithm: "EdDSA" | "ES256",
  nowSeconds: number,
): Promise<{ kid: string; privateKey: KeyObject }> {
  const [keys, published] = await Promise.all([
    secrets.get("signing-keys", algorithm === "ES256" ? readDerived : readSigning),
    secrets.get("verification-keys", readPublished),
  ]);
  return activeKey<Key & { kid: string; privateKey: KeyObject }>(keys, published, nowSeconds);
}

/** The public keys of both algorithms, as JSON Web Keys. */
export async function idTokenJwks({ secrets }: Deps) {
  const [derived, published] = await Promise.all([
    secrets.get("signing-keys", readDerived),
    secrets.get("verification-keys", readPublished),
  ]);
  return [
    ...currentKeys(published).map(({ index, jwk }) => ({
      ...jwk,
      kid: String(index),
      alg: "EdDSA" as const,
      use: "sig" as const,
    })),
    ...derived.map(({ kid, publicJwk }) => ({
      ...publicJwk,
      kid,
      alg: "ES256" as const,
      use: "sig" as const,
    })),
  ];
}

/** The public key for the algorithm that a token names; undefined if it is not one of ours. */
export async function idTokenPublicKey(
  deps: Deps,
  { kid, alg }: { readonly kid?: string | undefined; readonly alg?: string | undefined },
): Promise<KeyObject | undefined> {
  const found = (await idTokenJwks(deps)).find((one) => one.kid === kid && one.alg === alg);
  const { kid: _, alg: __, use: ___, ...jwk } = found ?? {};
  return "kty" in jwk ? toPublicKey(jwk) : undefined;
}
