import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import {
  type SigningKeySet,
  signingKeySet,
  type VerificationKeySet,
  verificationKeySet,
  withoutKey,
} from "./signing-keys.ts";

/** The two secrets with keys, by their names or ARNs. */
export interface KeySecrets {
  readonly secretsManager: SecretsManagerClient;
  readonly signingKeys: string;
  readonly verificationKeys: string;
}

/** Read the private keys and the published ones. */
export async function readKeySets({ secretsManager, signingKeys, verificationKeys }: KeySecrets): Promise<{
  signing: SigningKeySet;
  published: VerificationKeySet;
}> {
  const read = async (SecretId: string): Promise<unknown> => {
    const { SecretString = "" } = await secretsManager.send(new GetSecretValueCommand({ SecretId }));
    return JSON.parse(SecretString);
  };
  const [signing, published] = await Promise.all([read(signingKeys), read(verificationKeys)]);
  return { signing: signingKeySet.parse(signing), published: verificationKeySet.parse(published) };
}

/**
 * Revoke a signing key (ADR 30). May be repeated if it stops half-way: the key is withdrawn from verifiers first, and an
 * unpublished key signs nothing.
 *
 * @returns false if there is no such key
 */
export async function revokeSigningKey(
  secrets: KeySecrets,
  index: number,
  nowSeconds: number,
): Promise<boolean> {
  const sets = await readKeySets(secrets);
  if (![...sets.signing.keys, ...sets.published.keys].some((key) => key.index === index)) return false;
  const { signing, published } = withoutKey(index, sets, nowSeconds);
  const put = (SecretId: string, keys: object) =>
    secrets.secretsManager.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(keys) }));
  await put(secrets.verificationKeys, published);
  await put(secrets.signingKeys, signing);
  return true;
}
