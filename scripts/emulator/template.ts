export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has properties of its own
  Properties?: any;
  Metadata?: Readonly<Record<string, unknown>>;
  DependsOn?: readonly string[];
}

/** The parts of a CloudFormation template that are read or changed here. */
export interface Template {
  readonly Resources: Record<string, Resource>;
  Outputs?: Record<string, { readonly Value: unknown }>;
  Parameters?: unknown;
  Rules?: unknown;
}

/** A change to the templates, without which an emulator could not deploy or run them; docs/operations/emulator.md lists all. */
export interface Rewrite {
  readonly reason: string;
  /** Types of resources, or properties of a type after a space, that the emulator does not accept; absent: all are accepted. */
  readonly refuses?: readonly string[];
  /** Change a template in place, and count the changes. */
  readonly apply: (template: Template, endpoint: string) => number;
}

/** Dependencies on the resource stay valid. */
export function replaceByNothing(resource: Resource): void {
  resource.Type = "AWS::CloudFormation::WaitConditionHandle";
  delete resource.Properties;
}

/** Change resources in place, and count the changed ones. */
export const change = (
  resources: Template["Resources"],
  changeOne: (resource: Resource, id: string) => boolean,
): number => Object.entries(resources).filter(([id, resource]) => changeOne(resource, id)).length;

interface Statement {
  Action: string | string[];
  readonly [field: string]: unknown;
}

/** Replace statements of policies; those without a replacement stay. */
export function changeStatements(
  resources: Template["Resources"],
  replace: (statement: Statement) => Statement[] | undefined,
): number {
  return change(resources, ({ Type, Properties }) => {
    if (Type !== "AWS::IAM::Policy") return false;
    const { PolicyDocument } = Properties;
    const replaced = PolicyDocument.Statement.map(replace);
    PolicyDocument.Statement = PolicyDocument.Statement.flatMap(
      (statement: Statement, index: number) => replaced[index] ?? statement,
    );
    return replaced.some((one: unknown) => one !== undefined);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a text or a call of CloudFormation
export type Value = any;

/** Replace environment variables of functions. */
export function changeVariables(
  resources: Template["Resources"],
  replace: (name: string, value: Value) => Value,
): number {
  return change(resources, ({ Type, Properties }) => {
    if (Type !== "AWS::Lambda::Function") return false;
    const variablesOf: Record<string, Value> = Properties.Environment?.Variables ?? {};
    const changed = Object.entries(variablesOf).filter(([name, value]) => {
      variablesOf[name] = replace(name, value);
      return variablesOf[name] !== value;
    });
    return changed.length > 0;
  });
}

/** Replace `{"Ref": id}` wherever there is a replacement. */
export const replaceRefs = (node: Value, replacementOf: (id: string) => unknown): number =>
  replaceValues(node, (value) => (typeof value?.Ref === "string" ? replacementOf(value.Ref) : undefined));

/** Replace values, however deep, wherever there is a replacement. */
export function replaceValues(node: Value, replacementOf: (value: Value) => unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  let count = 0;
  for (const [key, child] of Object.entries<Value>(node)) {
    const replacement = replacementOf(child);
    if (replacement === undefined) count += replaceValues(child, replacementOf);
    else {
      node[key] = replacement;
      count += 1;
    }
  }
  return count;
}
