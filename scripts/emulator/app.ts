// The CDK app for an emulator, to be used as the CDK's option --app: its templates are rewritten for the emulator at
// AWS_ENDPOINT_URL, and not checked again, which would take most of the time. --failing NAME makes the creation of the
// stack of this name fail after all of its other resources; --change changes every function; --break NAME stops a
// function from starting.
import { parseArgs } from "node:util";
import { App } from "aws-cdk-lib";
import { createBundledStacks } from "#lib/stacks/bundled-stacks.ts";
import { readStage } from "#lib/stage.ts";
import { rewriteTemplates } from "./cdk.ts";
import { breakFunction, changeFunctions, failAtTheEnd } from "./deployment-faults.ts";
import { rewrites } from "./rewrites.ts";

const { values } = parseArgs({
  options: {
    failing: { type: "string" },
    change: { type: "boolean", default: false },
    break: { type: "string" },
  },
});
const app = new App({ builtinCloudFormationValidation: false });
await createBundledStacks(app, readStage(app.node.tryGetContext("stage")));
app.synth();
rewriteTemplates(app.outdir, process.env.AWS_ENDPOINT_URL ?? "", [
  ...rewrites,
  ...(values.change ? [changeFunctions] : []),
  ...(values.break === undefined ? [] : [breakFunction(values.break)]),
  ...(values.failing === undefined ? [] : [failAtTheEnd(values.failing)]),
]);
