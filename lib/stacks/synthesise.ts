import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack, Token } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { DEFAULT_CROSS_STACK_REFERENCES } from "aws-cdk-lib/cx-api";
import type { Family } from "#shared/platform/manifest.ts";
import cdk from "../../cdk.json" with { type: "json" };
import { relayFiles } from "../bundle/bundle.ts";
import type { Stage } from "../stage.ts";
import { createStacks, unprotectedContext } from "./create-stacks.ts";

interface Options {
  /** By default all. */
  readonly families?: readonly Family[];
  /** Whether to check the templates against CloudFormation's schemas, which takes most of the time. */
  readonly validates?: boolean;
  /** Whether stacks refer to each other by exports. */
  readonly isStrong?: boolean;
  /** Names of stacks without protection, as during their creation. */
  readonly unprotected?: readonly string[];
}

/** A stack of a stage. */
interface Synthesised {
  readonly name: string;
  /** Absent if it is the region of the operator's credentials. */
  readonly region: string | undefined;
  readonly isProtected: boolean;
  /** Names of the stacks that must be deployed before it. */
  readonly needs: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: JSON whose shape differs by resource type
  readonly template: any;
}

/** Synthesise the stacks of a stage without bundling: functions and relays have no code. */
export function synthesise(
  stage: Stage,
  { families, validates = false, isStrong = false, unprotected = [] }: Options = {},
): { app: App; stacks: Synthesised[] } {
  const folder = mkdtempSync(join(tmpdir(), "parley-templates-"));
  try {
    const app = new App({
      context: {
        ...cdk.context,
        ...(isStrong && { [DEFAULT_CROSS_STACK_REFERENCES]: "strong" }),
        [unprotectedContext]: unprotected.join(","),
      },
      outdir: join(folder, "templates"),
      builtinCloudFormationValidation: validates,
    });
    const codeOf = () => Code.fromInline("exports.handler = async () => ({});");
    createStacks(app, { stage, families, codeOf, relayFolder: emptyRelay(folder) });
    const assembly = app.synth();
    const stacks = app.node.children.filter(Stack.isStack).map((stack) => ({
      name: stack.stackName,
      region: Token.isUnresolved(stack.region) ? undefined : stack.region,
      isProtected: stack.terminationProtection,
      needs: stack.dependencies.map(({ stackName }) => stackName),
      template: assembly.getStackArtifact(stack.artifactId).template,
    }));
    return { app, stacks };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Files with the names that `bundleRelay` gives them. */
function emptyRelay(folder: string): string {
  const relay = join(folder, "relay");
  mkdirSync(join(relay, relayFiles.removal), { recursive: true });
  for (const file of [relayFiles.program, relayFiles.settings, join(relayFiles.removal, "index.js")])
    writeFileSync(join(relay, file), file);
  return relay;
}
