import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import cdk from "../../cdk.json" with { type: "json" };
import { relayFiles } from "../bundle/bundle.ts";
import { createStacks } from "../stacks/create-stacks.ts";
import { readStage } from "../stage.ts";
import { stackPrefix } from "./deployed-stacks.ts";
import type { StackTemplate } from "./kept-resources.ts";

/** Templates of a stage by stack, without the name of the stage and with functions that have no code. */
export function stageTemplates(name: string): Record<string, StackTemplate> {
  const outdir = mkdtempSync(join(tmpdir(), "parley-templates-"));
  try {
    const relayFolder = join(outdir, "relay");
    mkdirSync(join(relayFolder, relayFiles.removal), { recursive: true });
    for (const file of [relayFiles.program, relayFiles.settings, join(relayFiles.removal, "index.js")])
      writeFileSync(join(relayFolder, file), file);
    const app = new App({
      context: cdk.context,
      outdir: join(outdir, "templates"),
      builtinCloudFormationValidation: false,
    });
    const codeOf = () => Code.fromInline("exports.handler = async () => ({});");
    createStacks(app, { stage: readStage(name), codeOf, relayFolder });
    return Object.fromEntries(
      app
        .synth()
        .stacks.map(({ stackName, template }) => [stackName.slice(stackPrefix(name).length), template]),
    );
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
