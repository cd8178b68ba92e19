/**
 * Deploys all stacks of a stage, by default of dev: npm run deploy -- [-c stage=NAME] [options of cdk deploy]
 * Refuses a protected stage whose file still has placeholders, and deploys one that is not complete yet in two steps: the
 * first creates what there is not without protection, so that a failure can be repeated, and the second protects it.
 */
import { parseArgs } from "node:util";
import { deployStage } from "#lib/deploy-stage.ts";
import { refusePlaceholders } from "#lib/placeholders.ts";
import { readStage } from "#lib/stage.ts";
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
  process.exitCode = await deployStage(stage, options, console.log);
} catch (error) {
  console.error(awsFailure(error));
  process.exitCode = 1;
}
