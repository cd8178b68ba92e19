import { createPublicKey, type KeyObject } from "node:crypto";
import { readRemovalKeys } from "#shared/mls/removal-keys.ts";
import { type PublicJwk, toRawKey } from "#shared/mls/signature-key.ts";
import type { Deps } from "./deps.ts";
import type { MlsKeysView } from "./schemas.ts";

/**
 * List the public keys that groups must name as external senders, so that the service can ask them to remove members.
 *
 * @throws ApiError `mls-not-enabled`
 * @see operation `mls-public-keys`
 */
export async function listRemovalKeys({ secrets }: Deps, format: "raw" | "jwk"): Promise<MlsKeysView> {
  const keys = await readRemovalKeys(secrets);
  const view = (key: KeyObject) => {
    const jwk = createPublicKey(key).export({ format: "jwk" }) as PublicJwk;
    return format === "jwk" ? jwk : toRawKey(jwk).toString("base64");
  };
  return {
    ed25519: view(keys.ed25519),
    ecdsa_secp256r1_sha256: view(keys.ecdsa_secp256r1_sha256),
    ecdsa_secp384r1_sha384: view(keys.ecdsa_secp384r1_sha384),
    ecdsa_secp521r1_sha512: view(keys.ecdsa_secp521r1_sha512),
  };
}
