import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { bundleFunctions } from "#lib/bundle/bundle.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type BundledFunction, bundledFunction, manifests, timeStart } from "./bundled-functions.ts";
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
const usualRounds = 9;

interface Rounds {
  /** Whether the start of a function is timed again, in more rounds. */
  readonly needsMore: (figures: FunctionFigures) => boolean;
  readonly more: number;
}

/** Bundle every function, and measure the size of the bundles and the time to load them in fresh processes. */
export const measureFunctions = (rounds = usualRounds, again?: Rounds): Promise<FunctionFigures[]> =>
  withBundles(async (floor, bundles) => {
    const starts = await timeStarts(floor, bundles, rounds);
    const figuresOf = ({ name, file }: BundledFunction): FunctionFigures => {
      const code = readFileSync(file);
      const start = starts.get(name) ?? { initMilliseconds: Number.NaN, initRatio: Number.NaN };
      return { name, minifiedBytes: code.length, gzipBytes: gzipSync(code).length, ...start };
    };
    const doubtful = bundles.filter((bundle) => again?.needsMore(figuresOf(bundle)));
    if (again !== undefined && doubtful.length > 0) {
      for (const [name, start] of await timeStarts(floor, doubtful, again.more)) starts.set(name, start);
    }
    return [floor, ...bundles].map(figuresOf);
  });

/** Bundle every function and the floor for the time of this call. */
async function withBundles<Result>(
  use: (floor: BundledFunction, bundles: readonly BundledFunction[]) => Promise<Result>,
): Promise<Result> {
  const outdir = mkdtempSync(join(tmpdir(), "parley-bench-"));
  try {
    await bundleFunctions({ outdir, settings: parseSettings({}) });
    const bundles = manifests.map((manifest) => bundledFunction(manifest, outdir));
    return await use({ name: floorName, file: bundleFloor(outdir), environment: {} }, bundles);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

type Start = Pick<FunctionFigures, "initMilliseconds" | "initRatio">;

/** Time the starts of functions and of the floor, in turn. */
async function timeStarts(
  floor: BundledFunction,
  bundles: readonly BundledFunction[],
  rounds: number,
): Promise<Map<string, Start>> {
  const times = new Map<string, number[]>([floor, ...bundles].map(({ name }) => [name, []]));
  // Round by round, so that a busy moment of the machine does not affect a single function; the first only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const bundle of [floor, ...bundles]) {
      const { loadMilliseconds } = await timeStart(bundle);
      if (round > 0) times.get(bundle.name)?.push(loadMilliseconds);
    }
  }
  const timesOf = (name: string) => times.get(name) ?? [];
  const starts = [...times].map(([name, milliseconds]): [string, Start] => [
    name,
    {
      initMilliseconds: median(milliseconds),
      // The ratio is computed within a round, so that it is also valid on a busy machine.
      initRatio: median(milliseconds.map((time, round) => time / (timesOf(floor.name)[round] ?? Number.NaN))),
    },
  ]);
  return new Map(starts);
}

/** Bundle the floor with plain esbuild, without the shortcuts of `bundleFunctions`. */
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
