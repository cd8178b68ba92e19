import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { families, workers } from "#functions/families.ts";
import { settingsFile } from "#lib/bundle/bundle.ts";
import type { FunctionManifest } from "#lib/function-modules.ts";
import { functionEnvironment } from "#lib/local/function-environment.ts";
import type { StartTimes } from "./time-start.ts";

/** A function, ready to be started. */
export interface BundledFunction {
  readonly name: string;
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

export const manifests: readonly FunctionManifest[] = [...families, ...workers];

/**
 * A function bundled by `bundleFunctions`.
 * @param nameOf names of its tables, buckets, secrets and queues
 * @param queueEndpoint address of SQS
 */
export const bundledFunction = (
  manifest: FunctionManifest,
  outdir: string,
  nameOf = (resource: string) => resource,
  queueEndpoint = "https://sqs.us-east-1.amazonaws.com",
): BundledFunction => ({
  name: manifest.name,
  file: join(outdir, manifest.name, "index.js"),
  environment: functionEnvironment(manifest, {
    settingsFile: join(outdir, manifest.name, settingsFile),
    publicUrl: "https://api.example.com",
    docsAssets: outdir,
    logLevel: "CRITICAL",
    socketsEndpoint: "https://sockets.example.com/live",
    relayQueues: `${queueEndpoint}/000000000000/relay-`,
    tableName: nameOf,
    bucketName: nameOf,
    queueUrl: (name) => `${queueEndpoint}/000000000000/${nameOf(name)}`,
    secretId: nameOf,
  }),
});

/**
 * Start a function in its own process.
 * @param request a file with its first request as an event of an HTTP API; without one, it is only loaded
 */
export async function timeStart(
  { file, environment }: BundledFunction,
  request?: { readonly file: string; readonly environment: Readonly<Record<string, string>> },
): Promise<StartTimes> {
  const child = fork(new URL("time-start.ts", import.meta.url), request ? [file, request.file] : [file], {
    env: { PATH: process.env.PATH, AWS_REGION: "us-east-1", ...request?.environment, ...environment },
  });
  const exited = once(child, "exit");
  const [times] = await Promise.race([once(child, "message"), exited.then(() => [undefined])]);
  await exited;
  if (times === undefined) throw new Error(`${file} cannot be started`);
  return times;
}
