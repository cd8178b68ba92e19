import { isDeepStrictEqual } from "node:util";

/**
 * The parts of a deployed stack that an update must never lose: data, their protection, and names that others may use.
 */
export interface KeptResources {
  /** Resources by stack (without the name of the stage) and logical id. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, KeptResource>>>>;
  /** Names of exports by stack. */
  readonly exports: Readonly<Record<string, readonly string[]>>;
  /** Ids of the outputs by which commands and other stacks find these resources, by stack. */
  readonly outputs: Readonly<Record<string, readonly string[]>>;
}

interface KeptResource {
  readonly type: string;
  /** Properties that CloudFormation can only change by replacing the resource. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** Properties that protect data, or destroy data when they change. */
  readonly guards: Readonly<Record<string, unknown>>;
}

/** The relevant parts of a CloudFormation template. */
export interface StackTemplate {
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value?: unknown; readonly Export?: { readonly Name?: unknown } }>
  >;
}

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

type IsLoss = (before: unknown, after: unknown) => boolean;

const changes: IsLoss = (before, after) => !isDeepStrictEqual(before, after);
/** A new value can only protect more. */
const changesOrIsGone: IsLoss = (before, after) => before !== undefined && changes(before, after);
const shrinks: IsLoss = (before, after) => before !== undefined && !(Number(after) >= Number(before));
const isSwitchedOff: IsLoss = (before, after) => before === true && after !== true;
const retains = (policy: unknown) => String(policy).startsWith("Retain");
const retainsNoLonger: IsLoss = (before, after) => retains(before) && !retains(after);

interface Rules {
  /** Properties with "Update requires: Replacement" in the reference of CloudFormation. */
  readonly fixed: readonly string[];
  readonly guards: Readonly<Record<string, IsLoss>>;
}

/** Resources that hold data. */
const rulesByType: Readonly<Record<string, Rules>> = {
  "AWS::DynamoDB::Table": {
    fixed: ["TableName", "KeySchema", "LocalSecondaryIndexes", "ImportSourceSpecification"],
    guards: {
      TimeToLiveSpecification: changesOrIsGone,
      PointInTimeRecoverySpecification: changesOrIsGone,
      DeletionProtectionEnabled: isSwitchedOff,
      // While DynamoDB rebuilds an index, queries of it find nothing.
      GlobalSecondaryIndexes: (before, after) =>
        indexesIn(before).some((one) => !indexesIn(after).some((other) => isDeepStrictEqual(one, other))),
    },
  },
  "AWS::S3::Bucket": {
    fixed: ["BucketName", "BucketNamespace", "ObjectLockEnabled"],
    guards: {
      // A new rule may delete objects that nothing has deleted so far.
      LifecycleConfiguration: changes,
      VersioningConfiguration: changesOrIsGone,
      ObjectLockConfiguration: changesOrIsGone,
      PublicAccessBlockConfiguration: changesOrIsGone,
      ReplicationConfiguration: changesOrIsGone,
    },
  },
  "AWS::SecretsManager::Secret": {
    fixed: ["Name"],
    guards: {
      // CloudFormation makes a new value when either of them changes.
      GenerateSecretString: changes,
      SecretString: changes,
      ReplicaRegions: changesOrIsGone,
    },
  },
  "AWS::SQS::Queue": {
    fixed: ["QueueName", "FifoQueue"],
    guards: { MessageRetentionPeriod: shrinks, RedrivePolicy: changesOrIsGone },
  },
  "AWS::Backup::BackupVault": {
    fixed: ["BackupVaultName", "EncryptionKeyArn"],
    guards: { LockConfiguration: changesOrIsGone },
  },
};

const policies: Readonly<Record<string, IsLoss>> = {
  DeletionPolicy: retainsNoLonger,
  UpdateReplacePolicy: retainsNoLonger,
};

/** Throughput and other properties that an update changes in place do not matter. */
const indexesIn = (indexes: unknown): unknown[] =>
  ((indexes ?? []) as Record<string, unknown>[]).map(({ IndexName, KeySchema, Projection }) => ({
    IndexName,
    KeySchema,
    Projection,
  }));

/** @param templates by stack, without the name of the stage */
export function keptResources(templates: Readonly<Record<string, StackTemplate>>): KeptResources {
  const stacks = Object.entries(templates).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const inEach = <Part extends object>(partOf: (template: StackTemplate) => Part): Record<string, Part> =>
    Object.fromEntries(
      stacks
        .map(([stack, template]) => [stack, partOf(template)] as const)
        .filter(([, part]) => Object.keys(part).length > 0),
    );
  return { resources: inEach(keptIn), exports: inEach(exportsIn), outputs: inEach(outputsIn) };
}

const keptIn = ({ Resources = {} }: StackTemplate): Record<string, KeptResource> =>
  Object.fromEntries(
    Object.entries(Resources).flatMap(
      ([id, { Type, Properties = {}, DeletionPolicy, UpdateReplacePolicy }]) => {
        const rules = rulesByType[Type];
        if (rules === undefined) return [];
        const attributes: Record<string, unknown> = { ...Properties, DeletionPolicy, UpdateReplacePolicy };
        const named = (names: readonly string[]) =>
          Object.fromEntries(
            names.filter((name) => attributes[name] !== undefined).map((name) => [name, attributes[name]]),
          );
        const guards = named([...Object.keys(rules.guards), ...Object.keys(policies)]);
        return [[id, { type: Type, fixed: named(rules.fixed), guards }]];
      },
    ),
  );

const exportsIn = ({ Outputs = {} }: StackTemplate): string[] =>
  Object.values(Outputs)
    .flatMap(({ Export }) => (typeof Export?.Name === "string" ? [Export.Name] : []))
    .toSorted();

function outputsIn(template: StackTemplate): string[] {
  const kept = new Set(Object.keys(keptIn(template)));
  return (
    Object.entries(template.Outputs ?? {})
      // The reference to a table that a restored one has replaced is a plain name.
      .filter(([, { Value }]) => typeof Value === "string" || kept.has(resourceOf(Value)))
      .map(([id]) => id)
      .toSorted()
  );
}

/** Logical id of the resource that a value names. */
function resourceOf(value: unknown): string {
  const { Ref: id, "Fn::GetAtt": attribute } = Object(value) as { Ref?: unknown; "Fn::GetAtt"?: unknown };
  return String(id ?? (Array.isArray(attribute) ? attribute[0] : attribute));
}

/** A loss that an update would cause. */
export interface Loss {
  /** The resource, export or output, and its property; includes the stack, and contains no blanks. */
  readonly name: string;
  /** The effect, as a sentence without the full stop. */
  readonly says: string;
}

/** Find resources that an update would destroy or leave unprotected, and names that others would no longer find. */
export function lossesBetween(before: KeptResources, after: KeptResources): Loss[] {
  return [
    ...inEachStack(before.resources).flatMap(([stack, kept]) =>
      Object.entries(kept).flatMap(([id, resource]) =>
        resourceLosses({ stack, id }, resource, after.resources[stack]?.[id]),
      ),
    ),
    ...missing(before.exports, after.exports).map(([stack, name]) => ({
      name: `${stack}/${name}`,
      says: `The export ${name} of the stack ${stack} would be missing, and AWS refuses that while it is used`,
    })),
    ...missing(before.outputs, after.outputs).map(([stack, id]) => ({
      name: `${stack}/${id}`,
      says: `The output ${id} of the stack ${stack} would be missing, by which commands and other stacks find its data`,
    })),
  ];
}

const inEachStack = <Part>(parts: Readonly<Record<string, Part>>) => Object.entries(parts);

const missing = (before: KeptResources["exports"], after: KeptResources["exports"]) =>
  inEachStack(before).flatMap(([stack, names]) =>
    names.filter((name) => !after[stack]?.includes(name)).map((name) => [stack, name] as const),
  );

function resourceLosses(
  { stack, id }: { stack: string; id: string },
  { type, fixed, guards }: KeptResource,
  found: KeptResource | undefined,
): Loss[] {
  const name = `${stack}/${id}`;
  const subject = `${type} ${id} of the stack ${stack}`;
  if (found === undefined || found.type !== type)
    return [{ name, says: `${subject} would be removed, with what it holds` }];
  const names = new Set([...Object.keys(fixed), ...Object.keys(found.fixed)]);
  const replaced = [...names].filter((property) => changes(fixed[property], found.fixed[property]));
  const rules = { ...rulesByType[type]?.guards, ...policies };
  const lost = Object.entries(rules).filter(([property, isLoss]) =>
    isLoss(guards[property], found.guards[property]),
  );
  return [
    ...(replaced.length === 0
      ? []
      : [
          {
            name,
            says: `${subject} would be replaced by an empty one, because ${replaced.join(" and ")} changes`,
          },
        ]),
    ...lost.map(([property]) => ({
      name: `${name}.${property}`,
      says: `${subject} would change its ${property} ${change(guards[property], found.guards[property])}, on which its data depend`,
    })),
  ];
}

const change = (before: unknown, after: unknown) => `from ${told(before)} to ${told(after)}`;
const told = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
