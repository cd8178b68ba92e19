import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import type { SecretsManagerRotationEvent } from "aws-lambda";
import { rotateSigningKeys, signingKeySet, verificationKeysOf } from "#shared/auth/signing-keys.ts";
import { systemClock, toSeconds } from "#shared/clock.ts";
import type { Config } from "#shared/config.ts";
import { createLog } from "#shared/log.ts";
import type { Overrides } from "#shared/runtime.ts";

/**
 * Rotation of `signing-keys` in the four steps of Secrets Manager. The public keys are published before the new set
 * becomes current, and the new key signs only after every function has read them.
 */
export function createApp(config: Config, { clock = systemClock }: Overrides = {}) {
  const log = createLog("key-rotation", config.logLevel);
  const client = new SecretsManagerClient();
  const signingKeys = config.secretId("signing-keys");
  const verificationKeys = config.secretId("verification-keys");

  async function read(stage: string, version?: string): Promise<string> {
    const { SecretString } = await client.send(
      new GetSecretValueCommand({ SecretId: signingKeys, VersionStage: stage, VersionId: version }),
    );
    return SecretString ?? "";
  }

  async function create(version: string): Promise<void> {
    const { VersionIdsToStages = {} } = await client.send(
      new DescribeSecretCommand({ SecretId: signingKeys }),
    );
    // A repeated step finds its value written: putting another one under the same version would fail.
    if (await hasValue(version)) return;
    if (VersionIdsToStages[version]?.includes("AWSCURRENT")) return;
    const current = signingKeySet.parse(JSON.parse(await read("AWSCURRENT")));
    const next = rotateSigningKeys(current, toSeconds(clock()));
    await client.send(
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
    await client.send(
      new PutSecretValueCommand({
        SecretId: verificationKeys,
        ClientRequestToken: version,
        SecretString: JSON.stringify(verificationKeysOf(pending)),
      }),
    );
  }

  async function finish(version: string): Promise<void> {
    const { VersionIdsToStages = {} } = await client.send(
      new DescribeSecretCommand({ SecretId: signingKeys }),
    );
    const current = Object.entries(VersionIdsToStages).find(([, stages]) =>
      stages.includes("AWSCURRENT"),
    )?.[0];
    if (current === version) return;
    await client.send(
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
