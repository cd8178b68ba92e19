import {
  CloudFormationClient,
  DeleteChangeSetCommand,
  DescribeChangeSetCommand,
  DescribeStacksCommand,
  paginateDescribeStackEvents,
  paginateListChangeSets,
  paginateListStackResources,
  type ResourceChange,
} from "@aws-sdk/client-cloudformation";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { stackPrefix } from "#lib/releases/deployed-stacks.ts";
import type { PlannedStack } from "#lib/releases/first-deployment.ts";
import { bundledContext } from "#lib/stacks/bundled-stacks.ts";
import { synthesise } from "#lib/stacks/synthesise.ts";
import type { Stage } from "#lib/stage.ts";
import { cdk, credentials, emulatedApp, environmentFor, runNode } from "./cdk.ts";
import type { Emulator } from "./start-emulator.ts";
import { step } from "./walk-steps.ts";

/** Stacks whose creation fails, one after the other: with tables and buckets, with functions, and with a custom resource. */
const failing = ["data", "api", "relay"] as const;

/** Types of resources that hold data of users, which a change of functions must never touch. */
const holders: readonly string[] = [
  "AWS::DynamoDB::Table",
  "AWS::S3::Bucket",
  "AWS::SecretsManager::Secret",
  "AWS::SQS::Queue",
];

/** Options of a deployment. */
interface Change {
  readonly failing?: string;
  readonly change?: boolean;
}

/**
 * Deploy a protected stage by `npm run deploy` to an account without any of its resources: with failing creations, then
 * over their remains, then without and with a change. Each step prints how long it took.
 *
 * @param folder for the files of the CDK
 * @param outputs file that the last deployment writes
 */
export async function walkDeployments(
  emulator: Emulator,
  stage: Stage,
  { folder, outputs }: { readonly folder: string; readonly outputs: string },
): Promise<void> {
  const env = environmentFor(emulator, folder);
  const { endpoint, region } = emulator;
  const client = new CloudFormationClient({ endpoint, region, credentials });
  const { stacks } = synthesise(stage);

  let isBundled = false;

  /** @returns why it failed, or nothing */
  async function deploy({ failing: name, change = false }: Change, ...options: string[]) {
    const app = emulatedApp(
      ...(name === undefined ? [] : ["--failing", name]),
      ...(change ? ["--change"] : []),
    );
    const { code, output } = await runNode(
      [
        "scripts/deploy.ts",
        ...["-c", `stage=${stage.name}`, "--app", app, "--require-approval", "never"],
        ...["--progress", "events", "--outputs-file", outputs, ...options],
        ...(isBundled ? ["-c", `${bundledContext}=yes`] : []),
      ],
      env,
    );
    isBundled = true;
    return code === 0 ? undefined : output;
  }
  const succeed = async (...parameters: Parameters<typeof deploy>) => {
    const failure = await deploy(...parameters);
    if (failure !== undefined) throw new Error(`npm run deploy failed:\n${failure}`);
  };

  await step("bootstrap the account", async () => {
    const sts = new STSClient({ endpoint, region, credentials });
    const { Account } = await sts.send(new GetCallerIdentityCommand({}));
    // In another folder, because the CDK would synthesise the app in cdk.json.
    await cdk(["bootstrap", `aws://${Account}/${region}`], env, folder);
  });
  for (const one of failing) {
    const name = `${stackPrefix(stage.name)}${one}`;
    await step(`a deployment fails at the last resource of ${name}, and leaves nothing behind`, async () => {
      const failure = await deploy({ failing: name });
      if (failure === undefined) throw new Error("It succeeded");
      const { Resources } = stacks.find((stack) => stack.name === name)?.template ?? { Resources: {} };
      await expectRolledBack(client, { name, Resources }, failure);
    });
  }
  await step("the deployment, repeated, completes and protects all stacks", async () => {
    await succeed({});
    for (const stack of stacks) await expectComplete(client, stack);
  });
  await step("a second one plans nothing", async () => {
    await succeed({}, "--force", "--method=prepare-change-set");
    const planned = await plannedChanges(client, stacks);
    if (planned.length > 0) throw new Error(`It plans\n${planned.map(inWords).join("\n")}`);
  });
  await step(
    "a deployment that changes all functions plans to change them, and to replace nothing",
    async () => {
      await succeed({ change: true }, "--method=prepare-change-set");
      const planned = await plannedChanges(client, stacks);
      const others = planned.filter(
        ({ Action, Replacement, ResourceType = "" }) =>
          Action !== "Modify" || Replacement === "True" || holders.includes(ResourceType),
      );
      if (others.length > 0) throw new Error(`It plans\n${others.map(inWords).join("\n")}`);
      if (planned.length === 0) throw new Error("It plans nothing");
    },
  );
  // CloudFormation reports a possible replacement of every resource that names a changed function, though the name
  // stays.
  const before = await physicalIds(client, stacks);
  await step("it succeeds, and has replaced nothing", async () => {
    await succeed({ change: true });
    const after = await physicalIds(client, stacks);
    const replaced = [...before].filter(([id, one]) => after.get(id) !== one).map(([id]) => id);
    if (before.size === 0 || replaced.length > 0)
      throw new Error(`Of ${before.size} resources it has replaced ${replaced.join(", ")}`);
  });
}

/** Physical ids by stacks and logical ids. */
async function physicalIds(
  client: CloudFormationClient,
  stacks: readonly PlannedStack[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const { name: StackName } of stacks)
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
      for (const { LogicalResourceId, PhysicalResourceId = "" } of StackResourceSummaries)
        ids.set(`${StackName} ${LogicalResourceId}`, PhysicalResourceId);
  return ids;
}

/** @throws Error unless the stack is rolled back completely */
async function expectRolledBack(
  client: CloudFormationClient,
  {
    name: StackName,
    Resources,
  }: { readonly name: string; readonly Resources: Readonly<Record<string, { DeletionPolicy?: string }>> },
  output: string,
) {
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const status = Stacks[0]?.StackStatus;
  if (status !== "ROLLBACK_COMPLETE") throw new Error(`${StackName} is ${status}:\n${output}`);
  const last = new Map<string, string>();
  for await (const { StackEvents = [] } of paginateDescribeStackEvents({ client }, { StackName }))
    for (const { LogicalResourceId = "", PhysicalResourceId, ResourceStatus = "" } of StackEvents)
      if (PhysicalResourceId && !last.has(LogicalResourceId)) last.set(LogicalResourceId, ResourceStatus);
  last.delete(StackName);
  // The account's role for logs stays even without the stack, because APIs of other stages use it.
  const left = [...last].filter(
    ([id, one]) => one !== "DELETE_COMPLETE" && Resources[id]?.DeletionPolicy !== "Retain",
  );
  if (last.size === 0 || left.length > 0)
    throw new Error(`Of ${last.size} resources, these remain: ${left.join(" ") || "all"}`);
}

/** @throws Error unless the stack is complete and cannot be deleted by mistake */
async function expectComplete(client: CloudFormationClient, { name: StackName }: PlannedStack) {
  const { Stacks: [{ StackStatus = "", EnableTerminationProtection } = {}] = [] } = await client.send(
    new DescribeStacksCommand({ StackName }),
  );
  if (!/^(CREATE|UPDATE)_COMPLETE$/.test(StackStatus) || EnableTerminationProtection !== true)
    throw new Error(`${StackName} is ${StackStatus}, protected: ${EnableTerminationProtection}`);
}

/** The changes in the prepared change sets of all stacks, which are then deleted. */
async function plannedChanges(
  client: CloudFormationClient,
  stacks: readonly PlannedStack[],
): Promise<ResourceChange[]> {
  const planned: ResourceChange[] = [];
  for (const { name: StackName } of stacks) {
    for await (const { Summaries = [] } of paginateListChangeSets({ client }, { StackName })) {
      for (const { ChangeSetName = "", ExecutionStatus } of Summaries) {
        if (ExecutionStatus !== "AVAILABLE") continue;
        const { Changes = [] } = await client.send(
          new DescribeChangeSetCommand({ StackName, ChangeSetName }),
        );
        planned.push(...Changes.flatMap(({ ResourceChange }) => ResourceChange ?? []));
        await client.send(new DeleteChangeSetCommand({ StackName, ChangeSetName }));
      }
    }
  }
  return planned;
}

const inWords = ({ Action, LogicalResourceId, Replacement, ResourceType }: ResourceChange) =>
  `  ${Action} ${ResourceType} ${LogicalResourceId}${Replacement === "False" ? "" : `, replacement: ${Replacement}`}`;
