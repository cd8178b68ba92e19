/**
 * Deploys a stage so that its functions are updated in three waves, each of which CloudFormation rolls back when an alarm
 * fires meanwhile or ten minutes after. The canary runs meanwhile; when it fails, all waves are rolled back.
 *
 *   npm run deploy:guarded <stage> [options of cdk deploy]
 *
 * In addition to the permissions for a deployment, it needs those to read the template of the stack `api`, to cancel
 * its update (`cloudformation:CancelUpdateStack`), and to read the secret `canary`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  CancelUpdateStackCommand,
  CloudFormationClient,
  GetTemplateCommand,
} from "@aws-sdk/client-cloudformation";
import { runCanary } from "#functions/platform/canary/run-canary.ts";
import { earlyWaves, type WaveTemplate, waveTemplate } from "#lib/deployment-waves.ts";
import { functionsStack, guardedDeployment, splitOptions } from "#lib/guarded-deployment.ts";
import { rollOut } from "#lib/guarded-rollout.ts";
import { refusePlaceholders } from "#lib/placeholders.ts";
import { replaceTemplate, templateIn } from "#lib/releases/assembly.ts";
import { readStage, type Stage } from "#lib/stage.ts";
import { canaryTarget } from "./canary/target.ts";
import { refuseRevertedDrift } from "./refuse-reverted-drift.ts";
import { runScript, UsageError } from "./run-script.ts";

/** A user may log in once a minute from one network, and five times more (`setPasswordHashingRateLimit.perUser`). */
const canaryMilliseconds = 90_000;

const [name, ...options] = process.argv.slice(2);
const assembly = mkdtempSync(join(tmpdir(), "parley-guarded-"));
await runScript("usage: npm run deploy:guarded STAGE [options of cdk deploy]", async () => {
  if (name === undefined) throw new UsageError();
  refuseRevertedDrift(options);
  const { profile } = splitOptions(options);
  // Otherwise, the question what is deployed would go to another account than the CDK's.
  if (profile !== undefined) process.env.AWS_PROFILE = profile;
  const stage = readStage(name);
  refusePlaceholders(stage);
  if (!(await deploy(stage))) process.exitCode = 1;
}).finally(() => rmSync(assembly, { recursive: true, force: true }));

async function deploy(stage: Stage): Promise<boolean> {
  const commands = guardedDeployment(stage, assembly);
  const { synth, deploy: further } = splitOptions(options);
  const StackName = functionsStack(stage);
  const cloudFormation = new CloudFormationClient({ region: stage.region });
  const deployed = await deployedTemplate(cloudFormation, StackName);
  if (!(await cdk(["synth", "--quiet", "--output", assembly, ...synth, "-c", `stage=${stage.name}`])))
    return false;
  const next: WaveTemplate = templateIn(assembly, StackName);
  const target = stage.canary ? await canaryTarget(stage.name) : undefined;

  const deployWave = (wave: number) => {
    const updated = earlyWaves.slice(0, wave).flat();
    const isLast = wave > earlyWaves.length;
    replaceTemplate(assembly, StackName, isLast ? next : waveTemplate({ deployed, next }, updated));
    return cdk([...commands.wave, ...further]);
  };
  const canary =
    target &&
    (async () => {
      const { failure } = await runCanary(target);
      return failure && `${failure.step}: ${failure.error.message}`;
    });
  const isUpdated = await rollOut({
    waves: earlyWaves.length + 1,
    deployFoundation: () => cdk([...commands.foundation, ...further]),
    deployWave,
    cancel: async () => {
      await cloudFormation.send(new CancelUpdateStackCommand({ StackName }));
    },
    restore: () => {
      replaceTemplate(assembly, StackName, deployed);
      return cdk([...commands.back, ...further]);
    },
    runCanary: canary,
    pause: (signal) => setTimeout(canaryMilliseconds, true, { signal }).catch(() => false),
    say: console.log,
  });
  if (!isUpdated || !(await cdk([...commands.everything, ...further]))) return false;
  const failure = await canary?.();
  if (failure !== undefined) console.error(`Everything is deployed, but the canary fails: ${failure}`);
  return failure === undefined;
}

async function deployedTemplate(
  cloudFormation: CloudFormationClient,
  StackName: string,
): Promise<WaveTemplate> {
  try {
    const command = new GetTemplateCommand({ StackName, TemplateStage: "Original" });
    return JSON.parse((await cloudFormation.send(command)).TemplateBody ?? "{}");
  } catch (error) {
    if ((error as Error).name !== "ValidationError") throw error;
    throw new Error(`The stack ${StackName} is not deployed yet: begin with npm run deploy`, {
      cause: error,
    });
  }
}

/** @returns whether it succeeded */
async function cdk(parameters: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, ["node_modules/aws-cdk/bin/cdk", ...parameters], {
    stdio: "inherit",
  });
  const [code] = await once(child, "close");
  return code === 0;
}
