/**
 * Creates the account of a stage's canary, or runs the canary once. Exits with 1 when a step fails.
 *
 *   npm run canary -- create --stage NAME --email ADDRESS --contact-email ADDRESS [--replace]
 *   npm run canary -- run --stage NAME
 *
 * Needs AWS credentials that may describe the stacks `api` and `data` and read the secret `canary`; to create an
 * account, also write that secret, put items into the table `audit`, and call the internal API (`execute-api:Invoke`).
 */
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { runCanary } from "#functions/platform/canary/run-canary.ts";
import { deployedOutputs, deployedSecret } from "#lib/releases/deployed-stacks.ts";
import { signedFetch } from "#lib/signed-fetch.ts";
import { type Call, createCanaryAccount } from "./canary/create-account.ts";
import { canaryTarget, readCanaryAccount } from "./canary/target.ts";
import { recordScript } from "./record-script.ts";
import { runScript, UsageError } from "./run-script.ts";
import { useStage } from "./use-stage.ts";

const usage = `usage: npm run canary -- create --stage NAME --email ADDRESS --contact-email ADDRESS [--replace]
       npm run canary -- run --stage NAME`;
const requestMilliseconds = 15_000;

await runScript(usage, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      stage: { type: "string" },
      email: { type: "string" },
      "contact-email": { type: "string" },
      replace: { type: "boolean", default: false },
    },
  });
  const [command] = positionals;
  const { stage, email, "contact-email": contactEmail, replace } = values;
  if (command === "run" && stage !== undefined) await run(stage);
  else if (command === "create" && stage && email && contactEmail)
    await create(stage, { email, contactEmail, replace });
  else throw new UsageError();
});

async function run(stage: string): Promise<void> {
  const { milliseconds, failure } = await runCanary(await canaryTarget(stage));
  for (const [step, time] of Object.entries(milliseconds))
    console.log(`ok    ${step} (${Math.round(time)} ms)`);
  if (failure !== undefined) throw new Error(`FAIL  ${failure.step}: ${failure.error.message}`);
}

async function create(
  stage: string,
  { email, contactEmail, replace }: { email: string; contactEmail: string; replace: boolean },
): Promise<void> {
  const { region, settings } = useStage(stage);
  const cloudFormation = new CloudFormationClient({ region });
  const secretsManager = new SecretsManagerClient({ region });
  const secretId = await deployedSecret(cloudFormation, stage, "canary");
  if (!replace && (await readCanaryAccount(secretsManager, secretId)) !== undefined)
    throw new Error("The canary has an account already. With --replace, it gets another one.");
  await recordScript(
    { cloudFormation, stage, settings },
    { command: "canary create", event: "secret.changed", target: { secret: "canary" } },
  );
  const outputs = await deployedOutputs(cloudFormation, stage, "api");
  const publicUrl = settings.publicUrl ?? outputs.get("PublicUrl") ?? "";
  const account = await createCanaryAccount({
    email,
    contactEmail,
    publicApi: (method, path, { json, token } = {}) =>
      answerOf(
        fetch(`${publicUrl}${path}`, {
          method,
          signal: AbortSignal.timeout(requestMilliseconds),
          headers: {
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(json !== undefined && { "content-type": "application/json" }),
          },
          body: json === undefined ? undefined : JSON.stringify(json),
        }),
      ),
    internalApi: async (method, path) =>
      answerOf(
        signedFetch(new URL(`${outputs.get("InternalUrl")}${path}`), {
          method,
          service: "execute-api",
          region: await cloudFormation.config.region(),
          credentials: await cloudFormation.config.credentials(),
        }),
      ),
  });
  await secretsManager.send(
    new PutSecretValueCommand({ SecretId: secretId, SecretString: JSON.stringify(account) }),
  );
  console.log(`The canary of ${stage} is the user ${account.userId}; its password is in the secret only.`);
}

async function answerOf(sent: Promise<Response>): ReturnType<Call> {
  const response = await sent;
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: undefined };
  }
}
