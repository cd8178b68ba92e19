/**
 * Deploys all stacks of a stage, by default of dev: npm run deploy -- [-c stage=NAME] [options of cdk deploy]
 * Refuses a protected stage whose file still has placeholders, and deploys one that is not complete yet in two steps: the
 * first creates what there is not without protection, so that a failure can be repeated, and the second protects it.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { refusePlaceholders } from "#lib/placeholders.ts";
import { prepareFirstDeployment } from "#lib/releases/first-deployment.ts";
import { unprotectedContext } from "#lib/stacks/create-stacks.ts";
import { synthesise } from "#lib/stacks/synthesise.ts";
import { readStage, type Stage } from "#lib/stage.ts";
import { awsFailure } from "./aws-failure.ts";
import { refuseRevertedDrift } from "./refuse-reverted-drift.ts";

const options = process.argv.slice(2);
const { values } = parseArgs({
  args: options,
  strict: false,
  options: { context: { type: "string", short: "c", multiple: true }, profile: { type: "string" } },
});
// Else another account than the CDK's would be asked which stacks there are.
if (typeof values.profile === "string") process.env.AWS_PROFILE = values.profile;
const contexts = (values.context ?? []).map(String);
const name = contexts.findLast((one) => one.startsWith("stage="))?.slice("stage=".length) ?? "dev";

try {
  refuseRevertedDrift(options);
  const stage = readStage(name);
  refusePlaceholders(stage);
  const incomplete = await incompleteStacks(stage);
  const first = incomplete.length === 0 ? 0 : deploy(["-c", `${unprotectedContext}=${incomplete.join(",")}`]);
  process.exitCode = first === 0 ? deploy() : first;
} catch (error) {
  console.error(awsFailure(error));
  process.exitCode = 1;
}

/** Those of a stage without protection are deleted and created again by the CDK itself. */
async function incompleteStacks(stage: Stage): Promise<string[]> {
  if (!stage.isProtected) return [];
  const clientIn = (region: string | undefined) => new CloudFormationClient({ region });
  return prepareFirstDeployment(synthesise(stage).stacks, clientIn, console.log);
}

/** @returns the exit code of the CDK */
function deploy(further: readonly string[] = []): number {
  const cdk = ["node_modules/aws-cdk/bin/cdk", "deploy", "--all", ...options, ...further];
  return spawnSync(process.execPath, cdk, { stdio: "inherit" }).status ?? 1;
}
