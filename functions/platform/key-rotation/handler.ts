import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import type { SecretsManagerRotationEvent } from "aws-lambda";
import { toSeconds } from "#shared/platform/clock.ts";
import { rotateSigningKeys, signingKeySet, verificationKeysOf } from "#shared/tokens/signing-keys.ts";
import type { Deps } from "./deps.ts";

/**
 * Rotate `signing-keys` in the four steps of Secrets Manager. The public keys are published before the new set
 * becomes current, and the new key signs only after every function has read them.
 */
export function createHandler({ clock, config, log, secretsManager }: Deps) {
  const signingKeys = config.secretId("signing-keys");
  const verificationKeys = config.secretId("verification-keys");

  async function read(versionStage: string, version?: string): Promise<string> {
    const { SecretString } = await secretsManager.send(
      new GetSecretValueCommand({ SecretId: signingKeys, VersionStage: versionStage, VersionId: version }),
    );
    return SecretString ?? "";
  }

  async function create(version: string): Promise<void> {
    const { VersionIdsToStages = {} } = await secretsManager.send(
      new DescribeSecretCommand({ SecretId: signingKeys }),
    );
    // A repeated step finds the value already written; putting another one under the same version would fail.
    if (await hasValue(version)) return;
    if (VersionIdsToStages[version]?.includes("AWSCURRENT")) return;
    const current = signingKeySet.parse(JSON.parse(await read("AWSCURRENT")));
    const next = rotateSigningKeys(current, toSeconds(clock()));
    await secretsManager.send(
      new PutSecretValueCommand({
        SecretId: signingKeys,
        ClientRequestToken: version,
        SecretString: JSON.stringify(next),
        VersionStages: ["AWSPENDING"],
      }),
    );
  }

  async function hasValue(version: string): Promise<boolean> {
    try {
      return (await read("AWSPENDING", version)) !== "";
    } catch (error) {
      if (error instanceof Error && error.name === "ResourceNotFoundException") return false;
      throw error;
    }
  }

  async function publish(version: string): Promise<void> {
    const pending = signingKeySet.parse(JSON.parse(await read("AWSPENDING", version)));
    await secretsManager.send(
      new PutSecretValueCommand({
        SecretId: verificationKeys,
        ClientRequestToken: version,
        SecretString: JSON.stringify(verificationKeysOf(pending)),
      }),
    );
  }

  async function finish(version: string): Promise<void> {
    const { VersionIdsToStages = {} } = await secretsManager.send(
      new DescribeSecretCommand({ SecretId: signingKeys }),
    );
    const current = Object.entries(VersionIdsToStages).find(([, stages]) =>
      stages.includes("AWSCURRENT"),
    )?.[0];
    if (current === version) return;
    await secretsManager.send(
      new UpdateSecretVersionStageCommand({
        SecretId: signingKeys,
        VersionStage: "AWSCURRENT",
        MoveToVersionId: version,
        RemoveFromVersionId: current,
      }),
    );
    log.info("signing-keys-rotated", { version });
  }

  return async ({ Step, ClientRequestToken }: SecretsManagerRotationEvent): Promise<void> => {
    if (Step === "createSecret") await create(ClientRequestToken);
    if (Step === "setSecret") await publish(ClientRequestToken);
    if (Step === "testSecret") signingKeySet.parse(JSON.parse(await read("AWSPENDING", ClientRequestToken)));
    if (Step === "finishSecret") await finish(ClientRequestToken);
  };
}
