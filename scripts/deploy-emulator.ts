// Deploys the templates to an emulator of AWS, walks through the README against it, and checks what each function may
// do there: npm run deploy:emulator [-- --stage NAME] [--keep]. AWS_ENDPOINT_URL names a running emulator; without it,
// one is installed from PyPI into a cache folder, started, and stopped at the end unless --keep is given. --emulator
// templates selects another emulator, which creates resources from the templates but runs nothing. --deployments makes
// the deployment of a protected stage fail, repeats it, and deploys again, with the time of each. --guarded deploys
// changes of a stage in waves, with its canary. --exports lets stacks refer to each other by exports. Safe to repeat.
// docs/operations/emulator.md describes what an emulator can show.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { SNSClient } from "@aws-sdk/client-sns";
import { CloudAssembly, DEFAULT_CROSS_STACK_REFERENCES } from "aws-cdk-lib/cx-api";
import { SetupError } from "#lib/local/setup-error.ts";
import { checkOut, hasCommit } from "#lib/releases/checkout.ts";
import { readStage, type Stage } from "#lib/stage.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { cdk, credentials, environmentFor, rewriteTemplates } from "./emulator/cdk.ts";
import { checkAccess } from "./emulator/check-access.ts";
import { checkRoles } from "./emulator/check-roles.ts";
import { checkTasks } from "./emulator/check-tasks.ts";
import { createPushApplications } from "./emulator/create-push-applications.ts";
import { Deployment } from "./emulator/deployment.ts";
import { type EmulatorName, emulators, isEmulatorName, takenByAtMostOne } from "./emulator/emulators.ts";
import { startEntrance } from "./emulator/entrance.ts";
import { checkKept, listMade, type MadeStack } from "./emulator/kept-properties.ts";
import { makeStacks } from "./emulator/make-stacks.ts";
import { type Emulator, givenEmulator, startEmulator } from "./emulator/start-emulator.ts";
import { walk } from "./emulator/walk.ts";
import { createData, useData } from "./emulator/walk-data.ts";
import { walkDeployments } from "./emulator/walk-deployments.ts";
import { walkGuarded } from "./emulator/walk-guarded.ts";
import { call, expectStatus, step } from "./emulator/walk-steps.ts";
import { runScript, UsageError } from "./run-script.ts";

const usage =
  "usage: npm run deploy:emulator -- [--stage NAME] [--emulator full|templates] [--from COMMIT | --deployments | --guarded | --exports] [--keep]";

const readOptions = () =>
  parseArgs({
    options: {
      stage: { type: "string" },
      emulator: { type: "string", default: "full" },
      from: { type: "string" },
      deployments: { type: "boolean", default: false },
      guarded: { type: "boolean", default: false },
      exports: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  }).values;
type Options = ReturnType<typeof readOptions>;

const stops: (() => Promise<void>)[] = [];

await runScript(usage, async () => {
  const options = readOptions();
  const { from, deployments, guarded, exports, emulator: name } = options;
  if (!isEmulatorName(name)) throw new UsageError(`There is no emulator ${name}`);
  const ways = [from !== undefined, deployments, guarded, exports].filter(Boolean).length;
  if (ways > 0 && name !== "full")
    throw new UsageError("--from, --deployments, --guarded and --exports take the full emulator");
  if (ways > 1) throw new UsageError("--from, --deployments, --guarded and --exports exclude each other");
  const usual = deployments ? "emulator-protected" : guarded ? "emulator-guarded" : "emulator";
  const stage = readStage(options.stage ?? usual);
  if (deployments && !stage.isProtected) throw new UsageError("--deployments takes a protected stage");
  if (guarded && !stage.canary) throw new UsageError("--guarded takes a stage with a canary");
  if (from !== undefined && !hasCommit(from))
    throw new SetupError(`The local history has no commit ${from}: a clone that is not shallow is needed`);
  const address = process.env.AWS_ENDPOINT_URL;
  const emulator = address === undefined ? await startEmulator(name) : await givenEmulator(address);
  await withEmulator(emulator, stage, { ...options, emulator: name });
});

async function withEmulator(
  emulator: Emulator,
  stage: Stage,
  { from, deployments, guarded, exports, keep, emulator: name }: Options & { emulator: EmulatorName },
): Promise<void> {
  console.log(`Emulator: ${emulator.endpoint}`);
  if (emulator.logFile !== undefined) console.log(`Its log:  ${emulator.logFile}`);
  const folder = mkdtempSync(join(tmpdir(), "parley-deployment-"));
  try {
    if (name === "templates") await tryTemplates(emulator, folder, stage);
    else if (deployments) await walkVersion(await repeatDeployments(emulator, folder, stage), stage);
    else if (guarded) await walkWaves(emulator, folder, stage);
    else if (from === undefined) await useVersion(await deploy(emulator, folder, stage, { exports }), stage);
    else await upgradeFrom(from, { emulator, folder, stage });
  } catch (error) {
    report(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    for (const stop of stops) await stop();
    if (keep && emulator.ended !== undefined) {
      console.log(howToUse(emulator, stage.name));
      await emulator.ended;
    }
    await emulator.stop();
  }
}

/** The variables with which another terminal can use the deployment. */
function howToUse({ endpoint, region, certificateFile }: Emulator, stage: string): string {
  // Node and the CDK, and the AWS CLI.
  const trust =
    certificateFile === undefined
      ? ""
      : `  export NODE_EXTRA_CA_CERTS=${certificateFile} AWS_CA_BUNDLE=${certificateFile}\n`;
  return `
The emulator runs until Ctrl+C. In another terminal:

  export AWS_ENDPOINT_URL=${endpoint} AWS_REGION=${region}
  export AWS_ACCESS_KEY_ID=${credentials.accessKeyId} AWS_SECRET_ACCESS_KEY=${credentials.secretAccessKey}
${trust}  npm run admin -- users list --stage ${stage}
`;
}

/** Let the emulator create what it can from the templates, and print what not all emulators accept. */
async function tryTemplates(emulator: Emulator, folder: string, stage: Stage): Promise<void> {
  const assembly = mkdtempSync(join(folder, "assembly-"));
  await cdk(["synth", "--quiet", "--output", assembly, ...context(stage.name, true)], process.env);
  rewriteTemplates(assembly, emulator.endpoint, emulators.templates.rewrites);
  await makeStacks(assembly, emulator, credentials);
  console.log("\nTaken by one of the emulators at most:");
  for (const { emulator: taker = "neither", what } of takenByAtMostOne()) console.log(`  ${taker}: ${what}`);
}

async function walkVersion(deployment: Deployment, { settings }: Stage): Promise<void> {
  await deployment.createIntegrationResponse("socket-api/Pong");
  await createPushApplications(new SNSClient({ credentials }), settings);
  await rotateSigningKeys(deployment);
  await walk(deployment, settings);
}

async function useVersion(deployment: Deployment, stage: Stage): Promise<void> {
  await walkVersion(deployment, stage);
  await checkRoles(deployment, stage.name);
  await checkTasks(deployment, stage);
  await checkAccess(deployment, stage);
}

/**
 * Deploy another version, then this one over it, then the other one again.
 * @throws Error when one version cannot use the data of another
 */
async function upgradeFrom(
  commit: string,
  { emulator, folder, stage }: { emulator: Emulator; folder: string; stage: Stage },
): Promise<void> {
  const other = checkOut(commit);
  try {
    // The operator keeps this file across versions.
    const stageFile = join("stages", `${stage.name}.json`);
    copyFileSync(stageFile, join(other.root, stageFile));
    console.log(`\nThe version ${commit}`);
    const before = await deploy(emulator, folder, stage, { root: other.root });
    await rotateSigningKeys(before);
    const data = await createData(before);
    console.log("\nThis version over it");
    await script("scripts/upgrade-check.ts", stage.name);
    await script("scripts/migrate.ts", stage.name);
    const after = await deploy(emulator, folder, stage);
    await useData(after, data);
    await useVersion(after, stage);
    const newData = await createData(after);
    console.log(`\nBack to ${commit}`);
    const again = await deploy(emulator, folder, stage, { root: other.root });
    await useData(again, data);
    await useData(again, newData);
  } finally {
    other.remove();
  }
}

function report(error: unknown): void {
  console.error(error instanceof SetupError ? error.message : error);
  process.exitCode = 1;
}

/** Options of the synthesis. @param exports whether stacks refer to each other by exports */
function context(stage: string, exports: boolean): string[] {
  const references = `${DEFAULT_CROSS_STACK_REFERENCES}=strong`;
  return ["--context", `stage=${stage}`, ...(exports ? ["--context", references] : [])];
}

/** @param root folder of the version */
async function deploy(
  emulator: Emulator,
  folder: string,
  { name, distribution, settings }: Stage,
  { root = process.cwd(), exports = false }: { readonly root?: string; readonly exports?: boolean } = {},
): Promise<Deployment> {
  const environment = environmentFor(emulator, folder);
  const assembly = mkdtempSync(join(folder, "assembly-"));
  const outputs = join(folder, "outputs.json");
  await cdk(["synth", "--quiet", "--output", assembly, ...context(name, exports)], environment, root);
  rewriteTemplates(assembly, emulator.endpoint, emulators.full.rewrites);
  await cdk(["bootstrap", "--app", assembly], environment);
  const options = ["--app", assembly, "--require-approval", "never", "--outputs-file", outputs];
  await cdk(["deploy", "--all", "--progress", "events", ...options], environment);
  await checkProperties(assembly, emulator);
  const deployment = enter(emulator, environment, outputs);
  if (distribution !== undefined) await enterByDistribution(deployment, settings);
  return deployment;
}

/**
 * Deploy a protected stage as its operator does, to an account without any of its resources.
 * @throws Error when a step fails
 */
async function repeatDeployments(emulator: Emulator, folder: string, stage: Stage): Promise<Deployment> {
  const outputs = join(folder, "outputs.json");
  await walkDeployments(emulator, stage, { folder, outputs });
  return enter(emulator, environmentFor(emulator, folder), outputs);
}

/** Deploy a stage, and then changes of it in waves. @throws Error when a step fails */
async function walkWaves(emulator: Emulator, folder: string, stage: Stage): Promise<void> {
  await rotateSigningKeys(await deploy(emulator, folder, stage));
  await walkGuarded(emulator, stage);
}

/** The deployment. From now on, commands of operators in this process use the emulator as AWS. */
function enter(emulator: Emulator, environment: NodeJS.ProcessEnv, outputs: string): Deployment {
  process.env = environment;
  return new Deployment(emulator, credentials, JSON.parse(readFileSync(outputs, "utf8")));
}

/** @throws Error when the emulator keeps other properties than is documented for it */
async function checkProperties(assembly: string, emulator: Emulator): Promise<void> {
  const { endpoint, region } = emulator;
  const cloudFormation = new CloudFormationClient({ endpoint, region, credentials });
  const made: MadeStack[] = [];
  for (const { stackName, template } of new CloudAssembly(assembly).stacks)
    made.push(await listMade(stackName, template, cloudFormation));
  const problems = await checkKept("full", made, emulator, credentials);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** Let the walk use the way of clients, and check that there is no other. */
async function enterByDistribution(deployment: Deployment, settings: Settings): Promise<void> {
  await step("a request that bypasses the distribution is refused", async () => {
    expectStatus(await call(`${deployment.publicUrl}/api-version`), 403);
  });
  const { url, socketUrl, stop } = await startEntrance(deployment, settings);
  stops.push(stop);
  Object.assign(deployment, { publicUrl: url, socketUrl });
}

/** Run a script of this version for the stage, with the emulator as AWS. */
async function script(file: string, stage: string): Promise<void> {
  const child = spawn(process.execPath, [file, "--stage", stage], { stdio: "inherit" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new SetupError(`${file} failed`);
}

/** The steps of a rotation, which emulators of Secrets Manager leave out. */
async function rotateSigningKeys(deployment: Deployment): Promise<void> {
  const event = { SecretId: deployment.output("signing-keys-secret"), ClientRequestToken: randomUUID() };
  for (const Step of ["createSecret", "setSecret", "testSecret", "finishSecret"]) {
    await deployment.invoke("key-rotation", { ...event, Step });
  }
  console.log("ok    the signing keys are rotated");
}
