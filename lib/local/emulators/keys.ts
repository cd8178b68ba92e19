import { randomBytes } from "node:crypto";
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  ResourceExistsException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import type { EntranceSecret } from "#shared/platform/config.ts";
import type { SecretName } from "#shared/registry/secrets.ts";
import { newSigningKeySet, signingKeySet, verificationKeysOf } from "#shared/sessions/tokens/signing-keys.ts";

/** Create the secrets that are missing. Keys are generated once and live as long as their secrets. */
export async function createSecrets(
  secretsManager: SecretsManagerClient,
  idOf: (name: SecretName | EntranceSecret) => string,
  nowSeconds: number,
): Promise<Record<SecretName | EntranceSecret, string>> {
  const ensure = (name: SecretName | EntranceSecret, initial: string) =>
    ensureSecret(secretsManager, idOf(name), initial);
  const signingKeys = await ensure("signing-keys", JSON.stringify(newSigningKeySet()));
  const publicKeys = verificationKeysOf(
    signingKeySet.parse(JSON.parse(signingKeys)),
    { keys: [] },
    nowSeconds,
  );
  return {
    "signing-keys": signingKeys,
    "verification-keys": await ensure("verification-keys", JSON.stringify(publicKeys)),
    "code-key": await ensure("code-key", randomText()),
    "invitation-key": await ensure("invitation-key", randomText()),
    "guest-link-key": await ensure("guest-link-key", randomText()),
    "webhook-key": await ensure("webhook-key", randomText()),
    "turn-secret": await ensure("turn-secret", randomText()),
    "sft-secret": await ensure("sft-secret", randomText()),
    "mls-removal-seed": await ensure("mls-removal-seed", randomText()),
    entrance: await ensure("entrance", randomText()),
    "dpop-key": await ensure("dpop-key", '{"keys":[]}'),
    canary: await ensure("canary", "{}"),
  };
}

const randomText = () => randomBytes(32).toString("base64url");

async function ensureSecret(
  secretsManager: SecretsManagerClient,
  id: string,
  initial: string,
): Promise<string> {
  try {
    await secretsManager.send(new CreateSecretCommand({ Name: id, SecretString: initial }));
    return initial;
  } catch (error) {
    if (!(error instanceof ResourceExistsException)) throw error;
  }
  const { SecretString } = await secretsManager.send(new GetSecretValueCommand({ SecretId: id }));
  return SecretString ?? "";
}
