import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import type { SecretsManagerRotationEvent } from "aws-lambda";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import {
  rotateSigningKeys,
  signingKeySet,
  verificationKeySet,
  verificationKeysOf,
} from "#shared/sessions/tokens/signing-keys.ts";

/**
 * Rotate `signing-keys` in the four steps of Secrets Manager, each of which may run late or again. The public keys are
 * published before the new set becomes current, and the new key signs only after every function has read them.
 */
export function createHandler({ clock, config, log, secretsManager }: Deps) {
  const { userTokenTimeout, sessionCookieTimeout } = config.settings.zauth.authSettings;
  const cookieSeconds = Math.max(userTokenTimeout, sessionCookieTimeout);
  const signingKeys = config.secretId("signing-keys");
  const verificationKeys = config.secretId("verification-keys");

  async function read(secretId: string, wanted: { stage?: string; version?: string }): Promise<string> {
    const { SecretString } = await secretsManager.send(
      new GetSecretValueCommand({
        SecretId: secretId,
        VersionStage: wanted.stage,
        VersionId: wanted.version,
      }),
    );
    return SecretString ?? "";
  }

  const readPending = async (version: string) =>
    signingKeySet.parse(JSON.parse(await read(signingKeys, { stage: "AWSPENDING", version })));
  const readPublished = async () =>
    verificationKeySet.parse(JSON.parse(await read(verificationKeys, { stage: "AWSCURRENT" })));

  async function create(version: string): Promise<void> {
    const { VersionIdsToStages = {} } = await secretsManager.send(
      new DescribeSecretCommand({ SecretId: signingKeys }),
    );
    // A repeated step finds the value already written; putting another one under the same version would fail.
    if (await hasValue(signingKeys, { stage: "AWSPENDING", version })) return;
    if (VersionIdsToStages[version]?.includes("AWSCURRENT")) return;
    const current = signingKeySet.parse(JSON.parse(await read(signingKeys, { stage: "AWSCURRENT" })));
    const next = rotateSigningKeys(current, await readPublished(), toSeconds(clock()), cookieSeconds);
    await secretsManager.send(
      new PutSecretValueCommand({
        SecretId: signingKeys,
        ClientRequestToken: version,
        SecretString: JSON.stringify(next),
        VersionStages: ["AWSPENDING"],
      }),
    );
  }

  async function hasValue(...wanted: Parameters<typeof read>): Promise<boolean> {
    try {
      return (await read(...wanted)) !== "";
    } catch (error) {
      if (error instanceof Error && error.name === "ResourceNotFoundException") return false;
      throw error;
    }
  }

  async function publish(version: string): Promise<void> {
    // A repetition must not postpone the start of the key; putting another time under the same version would fail.
    if (await hasValue(verificationKeys, { version })) return;
    const [pending, published] = await Promise.all([readPending(version), readPublished()]);
    await secretsManager.send(
      new PutSecretValueCommand({
        SecretId: verificationKeys,
        ClientRequestToken: version,
        SecretString: JSON.stringify(verificationKeysOf(pending, published, toSeconds(clock()))),
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
    if (Step === "testSecret") await readPending(ClientRequestToken);
    if (Step === "finishSecret") await finish(ClientRequestToken);
  };
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = (runtime: Runtime) => ({
  ...runtime,
  secretsManager: new SecretsManagerClient(awsClientOptions()),
});
