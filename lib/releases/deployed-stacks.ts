import {
  type CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStacks,
} from "@aws-sdk/client-cloudformation";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import type { SecretName } from "#shared/registry/secrets.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { stageNames } from "../stage.ts";
import type { StackTemplate } from "./kept-resources.ts";
import { reachableUrl } from "./reachable-url.ts";

/** Prefix of the names of all stacks of a stage. */
export const stackPrefix = (stage: string) => `parley-${stage}-`;

/** Whether this is the name of a stack or an alarm of the stage, and not of one that is called, for example, `<stage>-2`. */
export const isNameOf = (stage: string, name: string): boolean =>
  name.startsWith(stackPrefix(stage)) &&
  !stageNames().some((other) => other.startsWith(`${stage}-`) && name.startsWith(stackPrefix(other)));

/** The stage is not deployed in the account and region of the credentials. */
export class NotDeployedError extends Error {
  override readonly name = "NotDeployedError";
}

/** Whether an error of CloudFormation or of this module means that a stack does not exist. */
export const isNotDeployed = (error: unknown): boolean =>
  error instanceof NotDeployedError ||
  (error instanceof Error && error.name === "ValidationError" && /does not exist/.test(error.message));

/** @throws NotDeployedError for CloudFormation's error about an unknown stack, otherwise the error itself */
async function explain(error: Error, { config }: CloudFormationClient, StackName: string): Promise<never> {
  if (!isNotDeployed(error)) throw error;
  throw new NotDeployedError(
    `There is no stack ${StackName} in ${await config.region()}: the stage is not deployed in this account and region. ` +
      "AWS_PROFILE says which account, `region` in the stage file or AWS_REGION which region",
  );
}

/** The deployed templates of a stage, by stack without the name of the stage; empty if nothing is deployed. */
export async function deployedTemplates(
  cloudFormation: CloudFormationClient,
  stage: string,
): Promise<Record<string, StackTemplate>> {
  const templates: Record<string, StackTemplate> = {};
  for await (const { StackSummaries = [] } of paginateListStacks({ client: cloudFormation }, {})) {
    for (const { StackName = "", StackStatus } of StackSummaries) {
      if (!isNameOf(stage, StackName) || StackStatus === "DELETE_COMPLETE") continue;
      const { TemplateBody = "{}" } = await cloudFormation.send(
        new GetTemplateCommand({ StackName, TemplateStage: "Original" }),
      );
      templates[StackName.slice(stackPrefix(stage).length)] = JSON.parse(TemplateBody);
    }
  }
  return templates;
}

/** Names of the deployed tables of a stage. @throws NotDeployedError */
export const deployedTables = async (
  cloudFormation: CloudFormationClient,
  stage: string,
): Promise<ReadonlyMap<TableName, string>> =>
  namesIn(
    await deployedOutputs(cloudFormation, stage, "data"),
    Object.keys(tables) as TableName[],
    "tablename",
  );

/** Names of the deployed buckets of a stage. @throws NotDeployedError */
export const deployedBuckets = async (
  cloudFormation: CloudFormationClient,
  stage: string,
): Promise<ReadonlyMap<BucketName, string>> =>
  namesIn(
    await deployedOutputs(cloudFormation, stage, "data"),
    Object.keys(buckets) as BucketName[],
    "bucketname",
  );

/** The CDK removes all characters but letters and digits from the ids of outputs. */
const namesIn = <Name extends string>(
  outputs: ReadonlyMap<string, string>,
  names: readonly Name[],
  suffix: string,
): ReadonlyMap<Name, string> =>
  new Map(
    names.flatMap((name) => {
      const value = outputs.get(`${name.replaceAll("-", "")}${suffix}`);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );

/** ARN of a deployed stack, and its outputs by their ids. @throws NotDeployedError */
export async function deployedStack(
  cloudFormation: CloudFormationClient,
  stage: string,
  stack: string,
): Promise<{ readonly arn: string; readonly outputs: ReadonlyMap<string, string> }> {
  const StackName = `${stackPrefix(stage)}${stack}`;
  const { Stacks = [] } = await cloudFormation
    .send(new DescribeStacksCommand({ StackName }))
    .catch((error) => explain(error, cloudFormation, StackName));
  const [{ StackId: arn = "", Outputs = [] } = {}] = Stacks;
  return {
    arn,
    outputs: new Map(Outputs.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue])),
  };
}

/**
 * Outputs of a deployed stack by their ids; addresses are changed to reachable ones.
 * @throws NotDeployedError
 */
export async function deployedOutputs(
  cloudFormation: CloudFormationClient,
  stage: string,
  stack: string,
): Promise<ReadonlyMap<string, string>> {
  const { outputs } = await deployedStack(cloudFormation, stage, stack);
  return new Map([...outputs].map(([id, value]) => [id, reachableUrl(value)]));
}

/** The stage is deployed, but without this secret. */
export class NoSecretError extends Error {
  override readonly name = "NoSecretError";
}

/** ARN of a secret of a deployed stage. @throws NotDeployedError, NoSecretError */
export async function deployedSecret(
  cloudFormation: CloudFormationClient,
  stage: string,
  name: SecretName,
): Promise<string> {
  const StackName = `${stackPrefix(stage)}data`;
  const { StackResources = [] } = await cloudFormation
    .send(new DescribeStackResourcesCommand({ StackName }))
    .catch((error) => explain(error, cloudFormation, StackName));
  const prefix = `${name.replaceAll("-", "")}secret`;
  const found = StackResources.find(({ LogicalResourceId = "" }) => LogicalResourceId.startsWith(prefix));
  if (found?.PhysicalResourceId === undefined)
    throw new NoSecretError(`The stage ${stage} has no secret ${name}`);
  return found.PhysicalResourceId;
}
