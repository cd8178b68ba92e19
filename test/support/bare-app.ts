// A CDK app of the stage whose name and JSON are in the file of the context `stageFile`: its functions have no code.
import { readFileSync } from "node:fs";
import { App } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { createStacks } from "#lib/stacks/create-stacks.ts";
import { parseStage } from "#lib/stage.ts";

const app = new App({ builtinCloudFormationValidation: false });
const { name, input } = JSON.parse(readFileSync(app.node.tryGetContext("stageFile"), "utf8"));
createStacks(app, {
  stage: parseStage(name, input),
  codeOf: () => Code.fromInline("exports.handler = async () => ({});"),
  relayFolder: "",
});
app.synth();
