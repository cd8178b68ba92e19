// The CDK app as an emulator takes it, for the option --app of the CDK: its templates are rewritten for the one at
// AWS_ENDPOINT_URL, and not checked again, which takes most of the time. --failing NAME lets the creation of the stack of this
// name fail after everything else of it; --change changes every function; --break NAME lets a function not start any more.
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
