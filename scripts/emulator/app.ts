// The CDK app, whose templates are rewritten for the emulator at AWS_ENDPOINT_URL: for the option --app of the CDK.
// --failing NAME lets the creation of the stack of this name fail after everything else of it; --change changes every function.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { rewriteTemplates } from "./cdk.ts";
import { changeFunctions, failAtTheEnd } from "./deployment-faults.ts";
import { rewrites } from "./rewrites.ts";

const { values } = parseArgs({
  options: { failing: { type: "string" }, change: { type: "boolean", default: false } },
});
const { AWS_ENDPOINT_URL: endpoint = "", CDK_OUTDIR: assembly = "" } = process.env;
const { status } = spawnSync(process.execPath, ["bin/app.ts"], { stdio: "inherit" });
process.exitCode = status ?? 1;
if (status === 0) {
  rewriteTemplates(assembly, endpoint, [
    ...rewrites,
    ...(values.change ? [changeFunctions] : []),
    ...(values.failing === undefined ? [] : [failAtTheEnd(values.failing)]),
  ]);
}
