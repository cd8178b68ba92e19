/**
 * Deploys all stacks of a stage, by default of dev: npm run deploy -- [-c stage=NAME] [options of cdk deploy] Refuses a
 * protected stage whose file still has placeholders, and deploys one that is not complete yet in two steps: the first
 * creates the missing resources without protection, so that a failed deployment can be repeated, and the second
 * protects them.
 */
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployStage } from "#lib/deploy-stage.ts";
import { refusePlaceholders } from "#lib/placeholders.ts";
import { readStage } from "#lib/stage.ts";
import { awsFailure } from "./aws-failure.ts";
import { refuseRevertedDrift } from "./refuse-reverted-drift.ts";

const options = process.argv.slice(2);
const { values } = parseArgs({
  args: options,
  strict: false,
  options: {
    context: { type: "string", short: "c", multiple: true },
    profile: { type: "string" },
    stage: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
// Otherwise, the question which stacks exist would go to another account than the CDK's.
if (typeof values.profile === "string") process.env.AWS_PROFILE = values.profile;
const contexts = (values.context ?? []).map(String);
const name = contexts.findLast((one) => one.startsWith("stage="))?.slice("stage=".length) ?? "dev";

try {
  refuseRevertedDrift(options);
  // The CDK would ignore it, and dev would be deployed.
  if (values.stage !== undefined)
    throw new Error(`The CDK has no option --stage: npm run deploy -- -c stage=${values.stage}`);
  const stage = readStage(name);
  refusePlaceholders(stage);
  // The CDK finds out only after it has built everything. Credentials are the same in every region.
  if (values.help !== true) await new CloudFormationClient({ region: "us-east-1" }).config.credentials();
  process.exitCode = await deployStage(stage, options, console.log);
} catch (error) {
  console.error(awsFailure(error));
  process.exitCode = 1;
}
