/**
 * Lists the keys that sign tokens and cookies, or revokes one that has leaked. It needs AWS credentials that may describe the
 * data stack, and read and write the secrets `signing-keys` and `verification-keys`; to revoke, also put items into the table
 * `audit`.
 *
 *   npm run keys -- list   --stage NAME
 *   npm run keys -- revoke --stage NAME INDEX
 *
 * A revocation takes effect within five minutes. Everybody whose cookie the key signed must log in again, and bots that
 * were added while it was in use must be added again.
 */
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { deployedSecret } from "#lib/releases/deployed-stacks.ts";
import { systemClock, toSeconds } from "#shared/platform/clock.ts";
import { type KeySecrets, readKeySets, revokeSigningKey } from "#shared/sessions/tokens/signing-keys.ts";
import { recordScript } from "./record-script.ts";
import { runScript, UsageError } from "./run-script.ts";
import { useStage } from "./use-stage.ts";

await runScript("usage: npm run keys -- list|revoke --stage NAME [INDEX]", async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { stage: { type: "string" } },
  });
  const [command, indexText = ""] = positionals;
  const index = Number(indexText);
  if (values.stage === undefined) throw new UsageError();
  if (command === "list") await list(await secretsOf(values.stage));
  else if (command === "revoke" && Number.isInteger(index) && index > 0) await revoke(values.stage, index);
  else throw new UsageError();
});

async function revoke(stage: string, index: number): Promise<void> {
  const secrets = await secretsOf(stage);
  const { settings } = useStage(stage);
  await recordScript(
    { cloudFormation: new CloudFormationClient(), stage, settings },
    {
      command: "keys revoke",
      event: "secret.changed",
      target: { secret: "signing-keys", key: String(index) },
    },
  );
  if (!(await revokeSigningKey(secrets, index, toSeconds(systemClock()))))
    throw new Error(`There is no key ${index}`);
  console.log(`Key ${index} is revoked. Within five minutes, everything that it signed becomes invalid.`);
}

async function list(secrets: KeySecrets): Promise<void> {
  const { signing, published } = await readKeySets(secrets);
  for (const { index: one, signFromSeconds, isRetired } of published.keys) {
    const from = new Date(signFromSeconds * 1000).toISOString();
    const isPrivateHere = signing.keys.some((key) => key.index === one);
    console.log(JSON.stringify({ index: one, from, isRetired: isRetired === true, isPrivateHere }));
  }
}

async function secretsOf(stage: string): Promise<KeySecrets> {
  useStage(stage);
  const cloudFormation = new CloudFormationClient();
  return {
    secretsManager: new SecretsManagerClient(),
    signingKeys: await deployedSecret(cloudFormation, stage, "signing-keys"),
    verificationKeys: await deployedSecret(cloudFormation, stage, "verification-keys"),
  };
}
