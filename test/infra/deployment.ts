import { synthesise as synthesiseStacks } from "#lib/stacks/synthesise.ts";
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

/** Synthesise the stacks of a stage without bundling. @param options.validates takes most of the time */
export function synthesise(stage: Stage, options: { validates: boolean }) {
  const { app, stacks } = synthesiseStacks(stage, options);
  const templates = stacks.map(({ template }) => template);
  const merged = <Part>(part: string): Record<string, Part> =>
    Object.assign({}, ...templates.map((template) => template[part]));
  const resources = merged<Resource>("Resources");
  const largest = Math.max(...templates.map((template) => Object.keys(template.Resources).length));
  const ofType = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
  return { app, largest, resources, ofType, outputs: merged<{ Value: unknown }>("Outputs") };
}

/** The templates of a stage. */
export type Deployment = ReturnType<typeof synthesise>;

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

/** The beginning of the logical ids of a function and its role. */
export const logicalPrefix = (name: string) => `${name.replaceAll("-", "")}function`;

/** Statements of the roles whose logical ids begin with a text. */
export const statementsOf = ({ ofType }: Deployment, logicalPrefix: string): Statement[] =>
  ofType("AWS::IAM::Policy")
    .filter(([id]) => id.startsWith(logicalPrefix))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Statement[]);
