import type { KeyObject } from "node:crypto";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { activeKey, signingKeySet, toPrivateKey, verificationKeySet } from "./signing-keys.ts";

/**
 * Reads the key that signs now. Its start is taken from the published keys, not from the private ones: no key signs
 * before verifiers have had time to read it, however late a step of its rotation ran.
 *
 * @throws Error while there is none
 */
export async function readActiveKey(
  secrets: SecretReader,
  nowSeconds: number,
): Promise<{ index: number; privateKey: KeyObject }> {
  const [keys, published] = await Promise.all([
    secrets.get("signing-keys", readSigningKeys),
    secrets.get("verification-keys", readPublished),
  ]);
  return activeKey(keys, published, nowSeconds);
}

function readSigningKeys(text: string) {
  const { keys } = signingKeySet.parse(JSON.parse(text));
  return keys.map((key) => ({ ...key, privateKey: toPrivateKey(key.jwk) }));
}

const readPublished = (text: string) => verificationKeySet.parse(JSON.parse(text));
