import { createECDH, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from "node:crypto";
import * as z from "zod";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { SignatureScheme } from "./cipher-suites.ts";
import { type PublicJwk, toRawKey } from "./signature-key.ts";

/** Private keys that sign removals from groups, by scheme. Groups name their public halves as external senders. */
export type RemovalKeys = Readonly<Record<SignatureScheme, KeyObject>>;

/** Reads the keys of this stage; they stay the same as long as the secret does. */
export const readRemovalKeys = (secrets: SecretReader): Promise<RemovalKeys> =>
  secrets.get("mls-removal-seed", deriveRemovalKeys);

/** Derives keys from a seed, always the same ones, because groups name them for as long as the groups exist. */
export function deriveRemovalKeys(seed: string): RemovalKeys {
  return {
    ed25519: ed25519Key(derive(seed, "ed25519", 32)),
    ecdsa_secp256r1_sha256: ecdsaKey(seed, "ecdsa_secp256r1_sha256"),
    ecdsa_secp384r1_sha384: ecdsaKey(seed, "ecdsa_secp384r1_sha384"),
    ecdsa_secp521r1_sha512: ecdsaKey(seed, "ecdsa_secp521r1_sha512"),
  };
}

/** HKDF (RFC 5869) without salt, because the seed is as random as a key. */
const derive = (seed: string, purpose: string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha512", seed, "", `MLS removal key ${purpose}`, length));

/** Bytes before the 32 bytes of a private key in PKCS #8 (RFC 8410 §7). */
const ed25519Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

const ed25519Key = (bytes: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([ed25519Prefix, bytes]), format: "der", type: "pkcs8" });

const curves = {
  ecdsa_secp256r1_sha256: { crv: "P-256", name: "prime256v1", bytes: 32, topBits: 0xff },
  ecdsa_secp384r1_sha384: { crv: "P-384", name: "secp384r1", bytes: 48, topBits: 0xff },
  ecdsa_secp521r1_sha512: { crv: "P-521", name: "secp521r1", bytes: 66, topBits: 0x01 },
} as const;

/** Takes the first candidate below the order of the curve, as DeriveKeyPair does (RFC 9180 §7.1.3). */
function ecdsaKey(seed: string, scheme: keyof typeof curves): KeyObject {
  const { crv, name, bytes, topBits } = curves[scheme];
  const pair = createECDH(name);
  for (let attempt = 0; attempt < 256; attempt++) {
    const candidate = derive(seed, `${scheme} ${attempt}`, bytes);
    candidate.writeUInt8(candidate.readUInt8() & topBits);
    try {
      pair.setPrivateKey(candidate);
    } catch {
      continue;
    }
    const point = pair.getPublicKey();
    const part = (start: number) => point.subarray(start, start + bytes).toString("base64url");
    const jwk = { kty: "EC", crv, d: candidate.toString("base64url"), x: part(1), y: part(1 + bytes) };
    return createPrivateKey({ key: jwk, format: "jwk" });
  }
  throw new Error(`No ${scheme} key can be derived from the seed`);
}

/** The format in which a client wants the keys. */
const keyFormat = z
  .enum(["raw", "jwk"])
  .meta({ id: "MLSPublicKeyFormat", description: "Format of the keys: bytes in base64, or JWK (RFC 7517)" });

/** Query that names the format. */
export const keyFormatQuery = z.object({
  format: keyFormat.default("raw").meta({ description: "Format of the keys" }),
});
type KeyFormat = z.infer<typeof keyFormat>;

const publicJwk = z
  .object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string().optional() })
  .meta({ id: "PublicJwk" });
const publicKey = z.union([z.base64(), publicJwk]);
const mlsKeys = z
  .object({
    ed25519: publicKey,
    ecdsa_secp256r1_sha256: publicKey,
    ecdsa_secp384r1_sha384: publicKey,
    ecdsa_secp521r1_sha512: publicKey,
  })
  .meta({ id: "MLSKeys" });

/** The public keys that groups must name as external senders, so that the service can ask them to remove members. */
export const mlsKeysByPurpose = z
  .object({
    removal: mlsKeys.meta({ description: "Keys that sign the proposals to remove members, by scheme" }),
  })
  .meta({ id: "MLSKeysByPurpose" });

/** Show the public halves of the removal keys. */
export function toRemovalKeysView(keys: RemovalKeys, format: KeyFormat): z.input<typeof mlsKeysByPurpose> {
  const view = (key: KeyObject) => {
    const jwk = createPublicKey(key).export({ format: "jwk" }) as PublicJwk;
    return format === "jwk" ? jwk : toRawKey(jwk).toString("base64");
  };
  return {
    removal: {
      ed25519: view(keys.ed25519),
      ecdsa_secp256r1_sha256: view(keys.ecdsa_secp256r1_sha256),
      ecdsa_secp384r1_sha384: view(keys.ecdsa_secp384r1_sha384),
      ecdsa_secp521r1_sha512: view(keys.ecdsa_secp521r1_sha512),
    },
  };
}
