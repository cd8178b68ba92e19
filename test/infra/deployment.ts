import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Code } from "aws-cdk-lib/aws-lambda";
import { afterAll } from "vitest";
import { relayFiles } from "#lib/bundle/bundle.ts";
import { createStacks } from "#lib/stacks/create-stacks.ts";
import type { Stage } from "#lib/stage.ts";

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape differs by resource type
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: string[];
}

/** A statement of a policy. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const { context } = JSON.parse(readFileSync(join(import.meta.dirname, "../../cdk.json"), "utf8"));

/** Synthesise the stacks of a stage without bundling. @param options.validates takes most of the time */
export function synthesise(stage: Stage, { validates }: { validates: boolean }) {
  const outdir = mkdtempSync(join(tmpdir(), "parley-infra-"));
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({
    context,
    outdir: join(outdir, "templates"),
    builtinCloudFormationValidation: validates,
  });
  const codeOf = () => Code.fromInline("exports.handler = async () => ({});");
  const { routes, ...stacks } = createStacks(app, { stage, codeOf, relayFolder: emptyRelay(outdir) });
  const templates = [...Object.values(stacks), ...routes].map((stack) => Template.fromStack(stack).toJSON());
  const merged = <Part>(part: string): Record<string, Part> =>
    Object.assign({}, ...templates.map((template) => template[part]));
  const resources = merged<Resource>("Resources");
  const largest = Math.max(...templates.map((template) => Object.keys(template.Resources).length));
  const ofType = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
  return { app, largest, resources, ofType, outputs: merged<{ Value: unknown }>("Outputs") };
}

/** The templates of a stage. */
export type Deployment = ReturnType<typeof synthesise>;

/** Files as `bundleRelay` names them. */
function emptyRelay(outdir: string): string {
  const folder = join(outdir, "relay");
  mkdirSync(join(folder, relayFiles.removal), { recursive: true });
  for (const file of [relayFiles.program, relayFiles.settings, join(relayFiles.removal, "index.js")])
    writeFileSync(join(folder, file), file);
  return folder;
}

export const list = <Item>(value: Item | Item[]) => (Array.isArray(value) ? value : [value]);

/** All statements of policies of roles. */
export const statements = ({ ofType }: Pick<Deployment, "ofType">): Statement[] => [
  ...ofType("AWS::IAM::Policy").flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement),
  ...ofType("AWS::IAM::Role").flatMap(([, { Properties }]) =>
    (Properties.Policies ?? []).flatMap(
      (policy: { PolicyDocument: { Statement: Statement[] } }) => policy.PolicyDocument.Statement,
    ),
  ),
];

/** What the logical ids of a function and its role begin with. */
export const logicalPrefix = (name: string) => `${name.replaceAll("-", "")}function`;

/** Statements of the roles whose logical ids begin with a text. */
export const statementsOf = ({ ofType }: Deployment, logicalPrefix: string): Statement[] =>
  ofType("AWS::IAM::Policy")
    .filter(([id]) => id.startsWith(logicalPrefix))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Statement[]);
