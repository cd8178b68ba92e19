import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import {
  type CanaryAccount,
  NoCanaryAccountError,
  parseCanaryAccount,
} from "#functions/platform/canary/canary-account.ts";
import type { CanaryTarget } from "#functions/platform/canary/run-canary.ts";
import { deployedOutputs, deployedSecret } from "#lib/releases/deployed-stacks.ts";
import { readStage } from "#lib/stage.ts";

/** The account in the secret of a stage, if there is one. */
export async function readCanaryAccount(
  secretsManager: SecretsManagerClient,
  secretId: string,
): Promise<CanaryAccount | undefined> {
  const { SecretString = "" } = await secretsManager.send(new GetSecretValueCommand({ SecretId: secretId }));
  try {
    return parseCanaryAccount(SecretString);
  } catch {
    return undefined;
  }
}

/**
 * The addresses that the canary of a deployed stage calls, and its account.
 * @throws NoCanaryAccountError
 */
export async function canaryTarget(stage: string): Promise<CanaryTarget> {
  const { region, settings } = readStage(stage);
  const cloudFormation = new CloudFormationClient({ region });
  const [outputs, secretId] = await Promise.all([
    deployedOutputs(cloudFormation, stage, "api"),
    deployedSecret(cloudFormation, stage, "canary"),
  ]);
  const account = await readCanaryAccount(new SecretsManagerClient({ region }), secretId);
  if (account === undefined) throw new NoCanaryAccountError();
  return {
    publicUrl: (settings.publicUrl ?? outputs.get("PublicUrl") ?? "").replace(/\/$/, ""),
    socketUrl: outputs.get("SocketUrl") ?? "",
    account,
  };
}
