import {
  type CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStacks,
} from "@aws-sdk/client-cloudformation";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import type { StackTemplate } from "./kept-resources.ts";

/** What the names of all stacks of a stage begin with. */
export const stackPrefix = (stage: string) => `parley-${stage}-`;

/** The deployed templates of a stage, by stack without the name of the stage; empty if nothing is deployed. */
export async function deployedTemplates(
  cloudFormation: CloudFormationClient,
  stage: string,
): Promise<Record<string, StackTemplate>> {
  const prefix = stackPrefix(stage);
  const templates: Record<string, StackTemplate> = {};
  for await (const { StackSummaries = [] } of paginateListStacks({ client: cloudFormation }, {})) {
    for (const { StackName = "", StackStatus } of StackSummaries) {
      if (!StackName.startsWith(prefix) || StackStatus === "DELETE_COMPLETE") continue;
      const { TemplateBody = "{}" } = await cloudFormation.send(
        new GetTemplateCommand({ StackName, TemplateStage: "Original" }),
      );
      templates[StackName.slice(prefix.length)] = JSON.parse(TemplateBody);
    }
  }
  return templates;
}

/** Names of the deployed tables of a stage. @throws Error when its data stack is not deployed */
export const deployedTables = async (
  cloudFormation: CloudFormationClient,
  stage: string,
): Promise<ReadonlyMap<TableName, string>> =>
  namesOf(Object.keys(tables) as TableName[], "tablename", await dataOutputs(cloudFormation, stage));

/** Names of the deployed buckets of a stage. @throws Error when its data stack is not deployed */
export const deployedBuckets = async (
  cloudFormation: CloudFormationClient,
  stage: string,
): Promise<ReadonlyMap<BucketName, string>> =>
  namesOf(Object.keys(buckets) as BucketName[], "bucketname", await dataOutputs(cloudFormation, stage));

type Outputs = ReadonlyMap<string | undefined, string | undefined>;

async function dataOutputs(cloudFormation: CloudFormationClient, stage: string): Promise<Outputs> {
  const { Stacks = [] } = await cloudFormation.send(
    new DescribeStacksCommand({ StackName: `${stackPrefix(stage)}data` }),
  );
  const outputs = Stacks.flatMap(({ Outputs = [] }) => Outputs);
  return new Map(outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

/** The CDK leaves everything but letters and digits out of the ids of outputs. */
const namesOf = <Name extends string>(names: readonly Name[], suffix: string, outputs: Outputs) =>
  new Map(
    names.flatMap((name) => {
      const value = outputs.get(`${name.replaceAll("-", "")}${suffix}`);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
