// Deploys the templates to an emulator of AWS, walks through the README against it, and checks what each function may
// do there: npm run deploy:emulator [-- --stage NAME] [--keep]. AWS_ENDPOINT_URL names an emulator that runs already;
// without it, one is installed from PyPI in a cache folder, started, and stopped at the end unless --keep is given.
// --emulator templates takes another emulator, which makes resources from the templates, but runs nothing.
// Safe to repeat. docs/operations/emulator.md says what an emulator shows and what it does not.
import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { SNSClient } from "@aws-sdk/client-sns";
import { CloudAssembly, DEFAULT_CROSS_STACK_REFERENCES } from "aws-cdk-lib/cx-api";
import { SetupError } from "#lib/local/setup-error.ts";
import { checkOut, hasCommit } from "#lib/releases/checkout.ts";
import { readStage, type Stage } from "#lib/stage.ts";
import type { Settings } from "#shared/registry/settings.ts";
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
import type { Rewrite, Template } from "./emulator/template.ts";
import { walk } from "./emulator/walk.ts";
import { createData, useData } from "./emulator/walk-data.ts";
import { call, expectStatus, step } from "./emulator/walk-steps.ts";
import { runScript, UsageError } from "./run-script.ts";

/** Credentials that emulators take for those of the account itself. */
const credentials = { accessKeyId: "test", secretAccessKey: "test" };

const usage =
  "usage: npm run deploy:emulator -- [--stage NAME] [--emulator full|templates] [--from COMMIT] [--keep]";

const readOptions = () =>
  parseArgs({
    options: {
      stage: { type: "string", default: "emulator" },
      emulator: { type: "string", default: "full" },
      from: { type: "string" },
      keep: { type: "boolean", default: false },
    },
  }).values;
type Options = ReturnType<typeof readOptions>;

const stops: (() => Promise<void>)[] = [];

await runScript(usage, async () => {
  const options = readOptions();
  const { from, emulator: name } = options;
  if (!isEmulatorName(name)) throw new UsageError(`There is no emulator ${name}`);
  if (from !== undefined && name !== "full") throw new UsageError("--from takes the full emulator");
  const stage = readStage(options.stage);
  if (from !== undefined && !hasCommit(from))
    throw new SetupError(`The history here has no commit ${from}: it takes a clone that is not shallow`);
  const address = process.env.AWS_ENDPOINT_URL;
  const emulator = address === undefined ? await startEmulator(name) : await givenEmulator(address);
  await withEmulator(emulator, stage, { ...options, emulator: name });
});

async function withEmulator(
  emulator: Emulator,
  stage: Stage,
  { from, keep, emulator: name }: Options & { emulator: EmulatorName },
): Promise<void> {
  console.log(`Emulator: ${emulator.endpoint}`);
  if (emulator.logFile !== undefined) console.log(`Its log:  ${emulator.logFile}`);
  const folder = mkdtempSync(join(tmpdir(), "parley-deployment-"));
  try {
    if (name === "templates") await tryTemplates(emulator, folder, stage);
    else if (from === undefined) await useVersion(await deploy(emulator, folder, stage), stage);
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

/** What another terminal needs to use what was deployed. */
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

/** Let the emulator make what it can from the templates, and print what not all emulators take. */
async function tryTemplates(emulator: Emulator, folder: string, stage: Stage): Promise<void> {
  const assembly = mkdtempSync(join(folder, "assembly-"));
  const context = [
    "--context",
    `stage=${stage.name}`,
    "--context",
    `${DEFAULT_CROSS_STACK_REFERENCES}=strong`,
  ];
  await cdk(["synth", "--quiet", "--output", assembly, ...context], process.env);
  rewriteTemplates(assembly, emulator.endpoint, emulators.templates.rewrites);
  await makeStacks(assembly, emulator, credentials);
  console.log("\nTaken by one of the emulators at most:");
  for (const { emulator: taker = "neither", what } of takenByAtMostOne()) console.log(`  ${taker}: ${what}`);
}

async function useVersion(deployment: Deployment, stage: Stage): Promise<void> {
  const { settings } = stage;
  await deployment.createIntegrationResponse("socket-api/Pong");
  await createPushApplications(new SNSClient({ credentials }), settings);
  await rotateSigningKeys(deployment);
  await walk(deployment, settings);
  await checkRoles(deployment, stage.name);
  await checkTasks(deployment, stage);
  await checkAccess(deployment, stage);
}

/** Deploy another version, this one over it, and the other one again. @throws Error when one cannot use what another stored */
async function upgradeFrom(
  commit: string,
  { emulator, folder, stage }: { emulator: Emulator; folder: string; stage: Stage },
): Promise<void> {
  const other = checkOut(commit);
  try {
    // An operator keeps it, whatever version is deployed.
    const stageFile = join("stages", `${stage.name}.json`);
    copyFileSync(stageFile, join(other.root, stageFile));
    console.log(`\nThe version ${commit}`);
    const before = await deploy(emulator, folder, stage, other.root);
    await rotateSigningKeys(before);
    const data = await createData(before);
    console.log("\nThis version over it");
    await script("scripts/upgrade-check.ts", emulator, stage.name);
    await script("scripts/migrate.ts", emulator, stage.name);
    const after = await deploy(emulator, folder, stage);
    await useData(after, data);
    await useVersion(after, stage);
    const newData = await createData(after);
    console.log(`\nBack to ${commit}`);
    const again = await deploy(emulator, folder, stage, other.root);
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

/** @param root folder of the version */
async function deploy(
  emulator: Emulator,
  folder: string,
  { name, distribution, settings }: Stage,
  root = process.cwd(),
): Promise<Deployment> {
  // Whoever runs this may have a profile, which the SDK would prefer.
  const { AWS_PROFILE: _, AWS_SESSION_TOKEN: __, ...inherited } = process.env;
  const environment = {
    ...inherited,
    AWS_ENDPOINT_URL: emulator.endpoint,
    AWS_REGION: emulator.region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    // The CDK remembers there which account credentials belong to; other emulators give the same ones another account.
    CDK_HOME: join(folder, "cdk"),
    CDK_DISABLE_CLI_TELEMETRY: "true",
    ...(emulator.certificateFile !== undefined && { AWS_CA_BUNDLE: emulator.certificateFile }),
  };
  const assembly = mkdtempSync(join(folder, "assembly-"));
  const outputs = join(folder, "outputs.json");
  await cdk(["synth", "--quiet", "--output", assembly, "--context", `stage=${name}`], environment, root);
  rewriteTemplates(assembly, emulator.endpoint, emulators.full.rewrites);
  await cdk(["bootstrap", "--app", assembly], environment);
  const options = ["--app", assembly, "--require-approval", "never", "--outputs-file", outputs];
  await cdk(["deploy", "--all", "--progress", "events", ...options], environment);
  await checkProperties(assembly, emulator);
  process.env = environment;
  const deployment = new Deployment(emulator, credentials, JSON.parse(readFileSync(outputs, "utf8")));
  if (distribution !== undefined) await enterByDistribution(deployment, settings);
  return deployment;
}

/** @throws Error when the emulator keeps other properties than is said of it */
async function checkProperties(assembly: string, emulator: Emulator): Promise<void> {
  const { endpoint, region } = emulator;
  const cloudFormation = new CloudFormationClient({ endpoint, region, credentials });
  const made: MadeStack[] = [];
  for (const { stackName, template } of new CloudAssembly(assembly).stacks)
    made.push(await listMade(stackName, template, cloudFormation));
  const problems = await checkKept("full", made, emulator, credentials);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** Let the walk go the way of clients, and check that there is no other. */
async function enterByDistribution(deployment: Deployment, settings: Settings): Promise<void> {
  await step("a request that bypasses the distribution is refused", async () => {
    expectStatus(await call(`${deployment.publicUrl}/api-version`), 403);
  });
  const { url, socketUrl, stop } = await startEntrance(deployment, settings);
  stops.push(stop);
  Object.assign(deployment, { publicUrl: url, socketUrl });
}

/** Apply the rewrites to every template, whose file then has another hash. */
function rewriteTemplates(assembly: string, endpoint: string, rewrites: readonly Rewrite[]): void {
  const files = globSync(join(assembly, "*.template.json"));
  const templates = new Map(files.map((file) => [file, JSON.parse(readFileSync(file, "utf8")) as Template]));
  for (const { reason, apply } of rewrites) {
    const counts = [...templates.values()].map((template) => apply(template, endpoint));
    console.log(`Rewritten in ${counts.reduce((sum, count) => sum + count)} places: ${reason}`);
  }
  for (const [file, template] of templates) {
    const text = JSON.stringify(template);
    writeFileSync(file, text);
    const assetsFile = file.replace(/template\.json$/, "assets.json");
    const { files: assets } = JSON.parse(readFileSync(assetsFile, "utf8"));
    const [hash] =
      Object.entries<{ source: { path: string } }>(assets).find(
        ([, { source }]) => source.path === basename(file),
      ) ?? [];
    if (hash === undefined) throw new Error(`${assetsFile} does not have the template`);
    const newHash = createHash("sha256").update(text).digest("hex");
    for (const manifest of [assetsFile, join(assembly, "manifest.json")]) {
      writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll(hash, newHash));
    }
  }
}

async function cdk(parameters: readonly string[], env: NodeJS.ProcessEnv, cwd?: string): Promise<void> {
  console.log(`cdk ${parameters.join(" ")}`);
  const child = spawn(process.execPath, ["node_modules/aws-cdk/bin/cdk", ...parameters], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new SetupError(`cdk ${parameters[0]} failed:\n${Buffer.concat(output)}`);
}

/** Run a script of this version for the stage, with the emulator as AWS. */
async function script(file: string, { certificateFile }: Emulator, stage: string): Promise<void> {
  const child = spawn(process.execPath, [file, "--stage", stage], {
    env: { ...process.env, ...(certificateFile !== undefined && { NODE_EXTRA_CA_CERTS: certificateFile }) },
    stdio: "inherit",
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new SetupError(`${file} failed`);
}

/** The steps of Secrets Manager, which emulators leave out. */
async function rotateSigningKeys(deployment: Deployment): Promise<void> {
  const event = { SecretId: deployment.output("signing-keys-secret"), ClientRequestToken: randomUUID() };
  for (const Step of ["createSecret", "setSecret", "testSecret", "finishSecret"]) {
    await deployment.invoke("key-rotation", { ...event, Step });
  }
  console.log("ok    the signing keys are rotated");
}
