// Deploys the templates to an emulator of AWS, walks through the README against it, and checks what each function may
// do there: npm run deploy:emulator [-- --stage NAME] [--keep]. AWS_ENDPOINT_URL names an emulator that runs already;
// without it, one is installed from PyPI in a cache folder, started, and stopped at the end unless --keep is given.
// Safe to repeat. docs/operations.md says what an emulator shows and what it does not.
import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { SNSClient } from "@aws-sdk/client-sns";
import { SetupError } from "#lib/local/setup-error.ts";
import { readStage } from "#lib/stage.ts";
import { checkAccess } from "./emulator/check-access.ts";
import { createPushApplications } from "./emulator/create-push-applications.ts";
import { Deployment } from "./emulator/deployment.ts";
import { rewrites, type Template } from "./emulator/rewrites.ts";
import { type Emulator, givenEmulator, startEmulator } from "./emulator/start-emulator.ts";
import { walk } from "./emulator/walk.ts";

/** Credentials that emulators take for those of the account itself. */
const credentials = { accessKeyId: "test", secretAccessKey: "test" };

const { values } = parseArgs({
  options: { stage: { type: "string", default: "emulator" }, keep: { type: "boolean", default: false } },
});

try {
  const address = process.env.AWS_ENDPOINT_URL;
  await withEmulator(address === undefined ? await startEmulator() : await givenEmulator(address));
} catch (error) {
  report(error);
}

async function withEmulator(emulator: Emulator): Promise<void> {
  console.log(`Emulator: ${emulator.endpoint}`);
  if (emulator.logFile !== undefined) console.log(`Its log:  ${emulator.logFile}`);
  const folder = mkdtempSync(join(tmpdir(), "parley-deployment-"));
  try {
    const stage = readStage(values.stage);
    const { settings } = stage;
    const deployment = await deploy(emulator, folder);
    await deployment.createIntegrationResponse("socket-api/Pong");
    await createPushApplications(new SNSClient({ credentials }), settings);
    await rotateSigningKeys(deployment);
    await walk(deployment, settings);
    await checkAccess(deployment, stage);
  } catch (error) {
    report(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (values.keep && emulator.ended !== undefined) {
      console.log("The emulator runs until Ctrl+C.");
      await emulator.ended;
    }
    await emulator.stop();
  }
}

function report(error: unknown): void {
  console.error(error instanceof SetupError ? error.message : error);
  process.exitCode = 1;
}

async function deploy(emulator: Emulator, folder: string): Promise<Deployment> {
  const environment = {
    ...process.env,
    AWS_ENDPOINT_URL: emulator.endpoint,
    AWS_REGION: emulator.region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_PROFILE: undefined,
    AWS_SESSION_TOKEN: undefined,
    ...(emulator.certificateFile !== undefined && { AWS_CA_BUNDLE: emulator.certificateFile }),
  };
  const assembly = join(folder, "assembly");
  const outputs = join(folder, "outputs.json");
  await cdk(["synth", "--quiet", "--output", assembly, "--context", `stage=${values.stage}`], environment);
  rewriteTemplates(assembly, emulator.endpoint);
  await cdk(["bootstrap", "--app", assembly], environment);
  const options = ["--app", assembly, "--require-approval", "never", "--outputs-file", outputs];
  await cdk(["deploy", "--all", "--progress", "events", ...options], environment);
  Object.assign(process.env, environment);
  return new Deployment(emulator, credentials, JSON.parse(readFileSync(outputs, "utf8")));
}

/** Apply the rewrites to every template, whose file then has another hash. */
function rewriteTemplates(assembly: string, endpoint: string): void {
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

async function cdk(parameters: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  console.log(`cdk ${parameters.join(" ")}`);
  const child = spawn(process.execPath, ["node_modules/aws-cdk/bin/cdk", ...parameters], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new SetupError(`cdk ${parameters[0]} failed:\n${Buffer.concat(output)}`);
}

/** The steps of Secrets Manager, which emulators leave out. */
async function rotateSigningKeys(deployment: Deployment): Promise<void> {
  const event = { SecretId: deployment.output("signing-keys-secret"), ClientRequestToken: randomUUID() };
  for (const Step of ["createSecret", "setSecret", "testSecret", "finishSecret"]) {
    await deployment.invoke("key-rotation", { ...event, Step });
  }
  console.log("ok    the signing keys are rotated");
}
