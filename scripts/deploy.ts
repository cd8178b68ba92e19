/**
 * Deploys all stacks of a stage, by default of dev: npm run deploy -- [-c stage=NAME] [options of cdk deploy]
 * Refuses a protected stage whose file still has placeholders.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { refusePlaceholders } from "#lib/placeholders.ts";
import { readStage } from "#lib/stage.ts";

const options = process.argv.slice(2);
const { values } = parseArgs({
  args: options,
  strict: false,
  options: { context: { type: "string", short: "c", multiple: true } },
});
const contexts = (values.context ?? []).map(String);
const stage = contexts.findLast((one) => one.startsWith("stage="))?.slice("stage=".length) ?? "dev";

try {
  refusePlaceholders(readStage(stage));
  const cdk = ["node_modules/aws-cdk/bin/cdk", "deploy", "--all", ...options];
  process.exitCode = spawnSync(process.execPath, cdk, { stdio: "inherit" }).status ?? 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
