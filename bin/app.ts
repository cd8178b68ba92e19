import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { App, Validations } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { AwsSolutionsChecks } from "cdk-nag";
import { bundledContext, bundleFunctions, bundleRelay } from "#lib/bundle/bundle.ts";
import { createStacks } from "#lib/stacks/create-stacks.ts";
import { describeUploads, InvalidStageError, readStage, type Stage } from "#lib/stage.ts";

// The CDK app: `-c stage=prod` selects stages/prod.json; without it, the stage is dev.
const app = new App();
const stage = stageOf(app.node.tryGetContext("stage") ?? "dev");
console.error(describeUploads(stage));

const build = join(import.meta.dirname, "..", "build");
const bundles = join(build, "functions");
const relayFolder = join(build, "relay");
if (app.node.tryGetContext(bundledContext) === undefined) {
  await bundleFunctions({ outdir: bundles, settings: stage.settings });
  if (stage.sockets.relay !== undefined) await bundleRelay({ outdir: relayFolder, settings: stage.settings });
}
// CDK never deletes the assets of earlier runs.
for (const asset of globSync(join(app.outdir, "asset.*"))) rmSync(asset, { recursive: true });

Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
createStacks(app, {
  stage,
  codeOf: (name) => Code.fromAsset(join(bundles, name), { exclude: ["*.map"] }),
  relayFolder,
});

/** Ends the process with a sentence where there is no such stage: the CDK shows whatever else is thrown with its stack. */
function stageOf(name: string): Stage {
  try {
    return readStage(name);
  } catch (error) {
    console.error(error instanceof InvalidStageError ? error.message : error);
    process.exit(1);
  }
}
