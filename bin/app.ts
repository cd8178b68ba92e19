import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { createBundledStacks } from "#lib/stacks/bundled-stacks.ts";
import { describeUploads, InvalidStageError, readStage, type Stage } from "#lib/stage.ts";

// The CDK app: `-c stage=prod` selects stages/prod.json; without it, the stage is dev.
const app = new App();
const stage = stageOf(app.node.tryGetContext("stage") ?? "dev");
console.error(describeUploads(stage));

Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
await createBundledStacks(app, stage);

/**
 * Ends the process with a single sentence if the stage does not exist, because the CDK prints a stack trace for thrown
 * errors.
 */
function stageOf(name: string): Stage {
  try {
    return readStage(name);
  } catch (error) {
    console.error(error instanceof InvalidStageError ? error.message : error);
    process.exit(1);
  }
}
