import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { App } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { bundleFunctions, bundleRelay } from "../bundle/bundle.ts";
import type { Stage } from "../stage.ts";
import { createStacks } from "./create-stacks.ts";

/** Context of the CDK app: another deployment of the same stage has just made the bundles, which this one reuses. */
export const bundledContext = "bundled";

const build = join(import.meta.dirname, "../..", "build");
const bundles = join(build, "functions");
const relayFolder = join(build, "relay");

/** Bundle the code of a stage into `build/`, and create its stacks. */
export async function createBundledStacks(app: App, stage: Stage): Promise<void> {
  if (app.node.tryGetContext(bundledContext) === undefined) {
    await bundleFunctions({ outdir: bundles, settings: stage.settings });
    if (stage.sockets.relay !== undefined)
      await bundleRelay({ outdir: relayFolder, settings: stage.settings });
  }
  // The CDK never deletes the assets of earlier runs.
  for (const asset of globSync(join(app.outdir, "asset.*"))) rmSync(asset, { recursive: true });
  createStacks(app, {
    stage,
    codeOf: (name) => Code.fromAsset(join(bundles, name), { exclude: ["*.map"] }),
    relayFolder,
  });
}
