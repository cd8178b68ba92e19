import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { bundleFunctions } from "#lib/bundle/bundle.ts";
import { shortcuts } from "#lib/bundle/shortcuts.ts";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { seedUser } from "../test/support/seeded-users.ts";
import { uploadBody } from "../test/support/upload-body.ts";
import type { BenchRequest } from "./api-client.ts";
import { type BundledFunction, bundledFunction, manifests, timeStart } from "./bundled-functions.ts";
import { forkStack } from "./forked-stack.ts";
import { httpEvent } from "./http-event.ts";
import { median } from "./table.ts";
import type { StartTimes } from "./time-start.ts";

/** The savings of a shortcut at the start of a function. */
export interface ShortcutFigures {
  readonly shortcut: string;
  readonly functionName: string;
  readonly kilobytes: number;
  readonly loadMilliseconds: number;
  /** Share of the time to load the bundle without the shortcut. */
  readonly loadShare: number;
  /** Share of the time to load it and to answer the first request. */
  readonly startShare: number;
}

const prefix = "shortcuts";
const rounds = 15;

/** Functions with few and with many schemas, and one that loads two clients of AWS. */
const firstRequests = new Map<string, BenchRequest>([
  ["self", { method: "GET", path: "/v9/self" }],
  [
    "conversations",
    {
      method: "POST",
      path: "/v9/conversations/list-ids",
      json: {},
    },
  ],
  [
    "assets",
    {
      method: "POST",
      path: "/v9/assets",
      multipart: uploadBody({ content: Buffer.alloc(1000, "x") }),
    },
  ],
]);

/** A function with a shortcut and without it, and the starts of both in each round. */
interface Comparison {
  readonly shortcut: string;
  readonly kept: BundledFunction;
  readonly left: BundledFunction;
  readonly starts: { readonly kept: StartTimes; readonly left: StartTimes }[];
}

/** Start functions with and without each shortcut in turn, in fresh processes, up to the first answer. */
export async function measureShortcuts({ environment, folder }: Emulators): Promise<ShortcutFigures[]> {
  const outdir = mkdtempSync(join(tmpdir(), "parley-bench-"));
  const forked = forkStack();
  try {
    await forked.ask({ command: "start", settings: {}, prefix, environment, folder });
    const stack = { prefix, settings: parseSettings({}), clock: systemClock };
    const { token } = await seedUser("ada@example.com", "correct horse battery", {}, stack);
    for (const [name, request] of firstRequests) {
      writeFileSync(
        join(outdir, `${name}.json`),
        JSON.stringify(httpEvent({ ...request, headers: { authorization: `Bearer ${token}` } })),
      );
    }
    const start = (bundled: BundledFunction) =>
      timeStart(bundled, { file: join(outdir, `${bundled.name}.json`), environment });
    const comparisons = await bundlePairs(outdir);
    // Round by round, so that a busy moment of the machine does not affect a single shortcut; the first only warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const { kept, left, starts } of comparisons) {
        const isKeptFirst = round % 2 === 0;
        const first = await start(isKeptFirst ? kept : left);
        const second = await start(isKeptFirst ? left : kept);
        if (round > 0)
          starts.push(isKeptFirst ? { kept: first, left: second } : { kept: second, left: first });
      }
    }
    return comparisons.map(figuresOf);
  } finally {
    await forked.stop();
    rmSync(outdir, { recursive: true, force: true });
  }
}

async function bundlePairs(outdir: string): Promise<Comparison[]> {
  const withAll = await bundle(join(outdir, "all"), Object.values(shortcuts));
  const comparisons: Comparison[] = [];
  for (const [shortcut, plugin] of Object.entries<Plugin>(shortcuts)) {
    const others = Object.values<Plugin>(shortcuts).filter((other) => other !== plugin);
    const without = await bundle(join(outdir, shortcut), others);
    withAll.forEach((kept, index) => {
      const left = without[index];
      if (left !== undefined) comparisons.push({ shortcut, kept, left, starts: [] });
    });
  }
  return comparisons;
}

async function bundle(outdir: string, plugins: readonly Plugin[]): Promise<BundledFunction[]> {
  const wanted = manifests.filter(({ name }) => firstRequests.has(name));
  await bundleFunctions({ outdir, settings: parseSettings({}), manifests: wanted, plugins });
  const nameOf = (resource: string) => `${prefix}-${resource}`;
  return wanted.map((manifest) => bundledFunction(manifest, outdir, nameOf));
}

function figuresOf({ shortcut, kept, left, starts }: Comparison): ShortcutFigures {
  const saved = (figure: (times: StartTimes) => number) =>
    median(starts.map((pair) => 1 - figure(pair.kept) / figure(pair.left)));
  return {
    shortcut,
    functionName: kept.name,
    kilobytes: (statSync(left.file).size - statSync(kept.file).size) / 1024,
    loadMilliseconds: median(starts.map((pair) => pair.left.loadMilliseconds - pair.kept.loadMilliseconds)),
    loadShare: saved(({ loadMilliseconds }) => loadMilliseconds),
    startShare: saved(({ loadMilliseconds, requestMilliseconds }) => loadMilliseconds + requestMilliseconds),
  };
}
