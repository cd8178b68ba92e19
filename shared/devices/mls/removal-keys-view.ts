import { createPublicKey, type KeyObject } from "node:crypto";
import * as z from "zod";
import type { RemovalKeys } from "./removal-keys.ts";
import { type PublicJwk, toRawKey } from "./signature-key.ts";

/** The format in which a client wants the keys. */
const keyFormat = z
  .enum(["raw", "jwk"])
  .meta({ id: "MLSPublicKeyFormat", description: "Format of the keys: bytes in base64, or JWK (RFC 7517)" });

/** Query that names the format. */
export const keyFormatQuery = z.object({
  format: keyFormat.default("raw").meta({ description: "Format of the keys" }),
});
export type KeyFormat = z.infer<typeof keyFormat>;

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
