import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { families, workers } from "#functions/families.ts";
import { bundleFunctions, settingsFile } from "#lib/bundle.ts";
import { functionEnvironment } from "#lib/local/function-environment.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { median } from "./table.ts";

export interface FunctionFigures {
  readonly name: string;
  readonly minifiedBytes: number;
  readonly gzipBytes: number;
  /** CPU time of loading the bundle in a fresh process. */
  readonly initMilliseconds: number;
  /** Ratio to the init time of the floor, a function that only loads the DynamoDB document client. */
  readonly initRatio: number;
}

const floorName = "floor: document client";
const rounds = 9;

/** Bundle every function, and measure the size of the bundles and the time to load them in fresh processes. */
export async function measureFunctions(): Promise<FunctionFigures[]> {
  const outdir = mkdtempSync(join(tmpdir(), "parley-bench-"));
  try {
    await bundleFunctions({ outdir, settings: parseSettings({}) });
    const floor = bundleFloor(outdir);
    const bundles = [
      { name: floorName, file: floor, environment: {} },
      ...[...families, ...workers].map((manifest) => ({
        name: manifest.name,
        file: join(outdir, manifest.name, "index.js"),
        environment: functionEnvironment(manifest, {
          settingsFile: join(outdir, manifest.name, settingsFile),
          publicUrl: "https://api.example.com",
          docsAssets: outdir,
          logLevel: "INFO",
          socketsEndpoint: "https://sockets.example.com/live",
          relayQueues: "https://sqs.us-east-1.amazonaws.com/000000000000/relay-",
          tableName: (name) => name,
          bucketName: (name) => name,
          queueUrl: (name) => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`,
          secretId: (name) => name,
        }),
      })),
    ];
    const times = new Map<string, number[]>(bundles.map(({ name }) => [name, []]));
    // Round by round, so that a busy moment of the machine does not affect a single function; the first only warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const { name, file, environment } of bundles) {
        const milliseconds = await timeLoading(file, environment);
        if (round > 0) times.get(name)?.push(milliseconds);
      }
    }
    const timesOf = (name: string) => times.get(name) ?? [];
    return bundles.map(({ name, file }) => {
      const code = readFileSync(file);
      return {
        name,
        minifiedBytes: code.length,
        gzipBytes: gzipSync(code).length,
        initMilliseconds: median(timesOf(name)),
        // Within a round, so that the ratio is also valid on a busy machine.
        initRatio: median(
          timesOf(name).map((time, round) => time / (timesOf(floorName)[round] ?? Number.NaN)),
        ),
      };
    });
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Bundle the floor with plain esbuild, without what `bundleFunctions` removes from the SDK. */
function bundleFloor(outdir: string): string {
  const outfile = join(outdir, "floor-function", "index.js");
  buildSync({
    entryPoints: [join(import.meta.dirname, "floor-function", "index.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    mainFields: ["module", "main"],
    conditions: ["module"],
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  return outfile;
}

async function timeLoading(file: string, environment: Record<string, string>): Promise<number> {
  const child = fork(new URL("time-loading.ts", import.meta.url), [file], {
    env: { PATH: process.env.PATH, AWS_REGION: "us-east-1", ...environment },
  });
  const exited = once(child, "exit");
  const [milliseconds] = await Promise.race([once(child, "message"), exited.then(() => [undefined])]);
  await exited;
  if (typeof milliseconds !== "number") throw new Error(`${file} cannot be loaded`);
  return milliseconds;
}
