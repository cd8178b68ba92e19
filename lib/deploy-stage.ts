import { spawn } from "node:child_process";
import { once } from "node:events";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { prepareFirstDeployment } from "./releases/first-deployment.ts";
import { bundledContext } from "./stacks/bundled-stacks.ts";
import { unprotectedContext } from "./stacks/create-stacks.ts";
import { synthesise } from "./stacks/synthesise.ts";
import type { Stage } from "./stage.ts";

/**
 * Deploy all stacks of a stage by the CDK. A protected stage that is not complete yet is deployed twice: first without
 * protecting the missing resources, so that a failed deployment can be repeated, then with it.
 *
 * @param options of `cdk deploy`
 * @returns the exit code of the CDK
 */
export async function deployStage(
  stage: Stage,
  options: readonly string[],
  say: (line: string) => void,
): Promise<number> {
  const incomplete = await incompleteStacks(stage, say);
  if (incomplete.length === 0) return deploy(options);
  const first = await deploy([...options, "-c", `${unprotectedContext}=${incomplete.join(",")}`]);
  return first === 0 ? deploy([...options, "-c", `${bundledContext}=yes`]) : first;
}

/** In a stage without protection, the CDK itself deletes and recreates them. */
async function incompleteStacks(stage: Stage, say: (line: string) => void): Promise<string[]> {
  if (!stage.isProtected) return [];
  const clientIn = (region: string | undefined) => new CloudFormationClient({ region });
  return prepareFirstDeployment(synthesise(stage).stacks, clientIn, say);
}

async function deploy(options: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ["node_modules/aws-cdk/bin/cdk", "deploy", "--all", ...options], {
    stdio: "inherit",
  });
  const [code] = await once(child, "close");
  return code ?? 1;
}
