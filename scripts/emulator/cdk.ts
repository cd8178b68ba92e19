import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { SetupError } from "#lib/local/setup-error.ts";
import { replaceTemplate, templateIn } from "#lib/releases/assembly.ts";
import type { Credentials } from "#lib/signed-fetch.ts";
import type { Emulator } from "./start-emulator.ts";
import type { Rewrite, Template } from "./template.ts";

/** Credentials that emulators accept as those of the account itself. */
export const credentials: Credentials = { accessKeyId: "test", secretAccessKey: "test" };

/**
 * Variables that make the CDK, the SDK and commands of operators use an emulator as AWS.
 * @param folder for the files of the CDK
 */
export function environmentFor(
  { endpoint, region, certificateFile }: Emulator,
  folder: string,
): NodeJS.ProcessEnv {
  // The environment may have a profile, which the SDK would prefer.
  const { AWS_PROFILE: _, AWS_SESSION_TOKEN: __, ...inherited } = process.env;
  return {
    ...inherited,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    // There, the CDK remembers the account of credentials; another emulator assigns another account to the same ones.
    CDK_HOME: join(folder, "cdk"),
    CDK_DISABLE_CLI_TELEMETRY: "true",
    ...(certificateFile !== undefined && {
      AWS_CA_BUNDLE: certificateFile,
      NODE_EXTRA_CA_CERTS: certificateFile,
    }),
  };
}

/** @throws SetupError with the output of the CDK, when it fails */
export async function cdk(
  parameters: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd?: string,
): Promise<void> {
  console.log(`cdk ${parameters.join(" ")}`);
  const { code, output } = await runNode([resolve("node_modules/aws-cdk/bin/cdk"), ...parameters], env, cwd);
  if (code !== 0) throw new SetupError(`cdk ${parameters[0]} failed:\n${output}`);
}

/** Command of the CDK app with rewritten templates, for the option `--app`. @param changes options of `app.ts` */
export const emulatedApp = (...changes: string[]): string =>
  [process.execPath, "scripts/emulator/app.ts", ...changes].join(" ");

/** Run a program, and keep its output. */
export async function runNode(
  parameters: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd?: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, parameters, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  const [code] = await once(child, "close");
  return { code, output: Buffer.concat(output).toString() };
}

/** Apply the rewrites to every template of an assembly, and print the number of replacements. */
export function rewriteTemplates(assembly: string, endpoint: string, rewrites: readonly Rewrite[]): void {
  const stacks = globSync(join(assembly, "*.template.json")).map((file) => basename(file, ".template.json"));
  const templates = new Map(stacks.map((stack) => [stack, templateIn(assembly, stack) as Template]));
  for (const { reason, apply } of rewrites) {
    const counts = [...templates.values()].map((template) => apply(template, endpoint));
    console.log(`Rewritten in ${counts.reduce((sum, count) => sum + count, 0)} places: ${reason}`);
  }
  for (const [stack, template] of templates) replaceTemplate(assembly, stack, template);
}
