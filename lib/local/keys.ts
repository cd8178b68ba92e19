import { randomBytes } from "node:crypto";
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { newSigningKeySet, signingKeySet, verificationKeysOf } from "#shared/auth/signing-keys.ts";
import type { SecretName } from "#shared/secrets.ts";

/** Create the secrets that are missing: keys are generated once and stay as long as the secrets do. */
export async function createSecrets(
  client: SecretsManagerClient,
  idOf: (name: SecretName) => string,
  nowSeconds: number,
): Promise<Record<SecretName, string>> {
  const ensure = (name: SecretName, first: string) => ensureSecret(client, idOf(name), first);
  const signingKeys = await ensure("signing-keys", JSON.stringify(newSigningKeySet(nowSeconds)));
  const publicKeys = verificationKeysOf(signingKeySet.parse(JSON.parse(signingKeys)));
  return {
    "signing-keys": signingKeys,
    "verification-keys": await ensure("verification-keys", JSON.stringify(publicKeys)),
    "code-key": await ensure("code-key", randomText()),
    "turn-secret": await ensure("turn-secret", randomText()),
    "sft-secret": await ensure("sft-secret", randomText()),
    "mls-removal-seed": await ensure("mls-removal-seed", randomText()),
    "dpop-key": await ensure("dpop-key", '{"keys":[]}'),
  };
}

const randomText = () => randomBytes(32).toString("base64url");

async function ensureSecret(client: SecretsManagerClient, id: string, first: string): Promise<string> {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: id }));
    if (SecretString !== undefined) return SecretString;
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  await client.send(new CreateSecretCommand({ Name: id, SecretString: first }));
  return first;
}
