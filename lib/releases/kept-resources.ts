/** What a deployed stack holds and must never lose by an update: data, and names that others may use. */
export interface KeptResources {
  /** By stack, without the name of the stage, and logical id. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, KeptResource>>>>;
  /** Names of exports by stack. */
  readonly exports: Readonly<Record<string, readonly string[]>>;
}

interface KeptResource {
  readonly type: string;
  /** Properties of which CloudFormation changes none without creating the resource anew. */
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** A template of CloudFormation, as far as it matters here. */
export interface StackTemplate {
  readonly Resources?: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
  >;
  readonly Outputs?: Readonly<Record<string, { readonly Export?: { readonly Name?: unknown } }>>;
}

/** Resources that hold data, and their properties with "Update requires: Replacement" in the reference of CloudFormation. */
const fixedProperties: Readonly<Record<string, readonly string[]>> = {
  "AWS::DynamoDB::Table": ["TableName", "KeySchema", "LocalSecondaryIndexes", "ImportSourceSpecification"],
  "AWS::S3::Bucket": ["BucketName", "BucketNamespace", "ObjectLockEnabled"],
  "AWS::SecretsManager::Secret": ["Name"],
  "AWS::SQS::Queue": ["QueueName", "FifoQueue"],
};

/** @param templates by stack, without the name of the stage */
export function keptResources(templates: Readonly<Record<string, StackTemplate>>): KeptResources {
  const stacks = Object.entries(templates).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    resources: Object.fromEntries(
      stacks.map(([stack, { Resources = {} }]) => [stack, keptIn(Resources)] as const).filter(hasEntries),
    ),
    exports: Object.fromEntries(
      stacks.map(([stack, { Outputs = {} }]) => [stack, exportsIn(Outputs)] as const).filter(hasEntries),
    ),
  };
}

const hasEntries = ([, value]: readonly [string, object]) => Object.keys(value).length > 0;

const keptIn = (resources: NonNullable<StackTemplate["Resources"]>): Record<string, KeptResource> =>
  Object.fromEntries(
    Object.entries(resources).flatMap(([id, { Type, Properties = {} }]) => {
      const names = fixedProperties[Type];
      if (names === undefined) return [];
      const fixed = Object.fromEntries(
        names.filter((name) => Properties[name] !== undefined).map((name) => [name, Properties[name]]),
      );
      return [[id, { type: Type, fixed }]];
    }),
  );

const exportsIn = (outputs: NonNullable<StackTemplate["Outputs"]>): string[] =>
  Object.values(outputs)
    .flatMap(({ Export }) => (typeof Export?.Name === "string" ? [Export.Name] : []))
    .toSorted();

/**
 * Tell what an update would destroy.
 * @returns a sentence for each resource that would be removed or replaced, and for each export that would be missing
 */
export function lossesBetween(before: KeptResources, after: KeptResources): string[] {
  const ofResources = Object.entries(before.resources).flatMap(([stack, kept]) =>
    Object.entries(kept).flatMap(([id, { type, fixed }]) => {
      const name = `${type} ${id} of the stack ${stack}`;
      const found = after.resources[stack]?.[id];
      if (found === undefined || found.type !== type) return [`${name} would be removed, with what it holds`];
      const names = new Set([...Object.keys(fixed), ...Object.keys(found.fixed)]);
      const changed = [...names].filter(
        (property) => JSON.stringify(fixed[property]) !== JSON.stringify(found.fixed[property]),
      );
      return changed.length === 0
        ? []
        : [`${name} would be replaced by an empty one, because ${changed.join(" and ")} changes`];
    }),
  );
  const ofExports = Object.entries(before.exports).flatMap(([stack, names]) =>
    names
      .filter((name) => !after.exports[stack]?.includes(name))
      .map(
        (name) =>
          `The export ${name} of the stack ${stack} would be missing, and AWS refuses that while it is used`,
      ),
  );
  return [...ofResources, ...ofExports];
}
