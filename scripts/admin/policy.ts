import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedBuckets, deployedStack, deployedTables } from "#lib/releases/deployed-stacks.ts";
import { readStage } from "#lib/stage.ts";
import { apiOperations, internalOperations } from "./api-documents.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { deployedApi } from "./connect.ts";
import { policyOf } from "./roles/policy.ts";
import { type Role, roles } from "./roles/roles.ts";
import { type DeployedData, taskPolicyOf } from "./roles/task-policy.ts";
import { type TaskName, taskNames } from "./roles/tasks.ts";
import { deployedQueues } from "./stage-queues.ts";

export const policy = defineCommand({
  name: "policy",
  summary:
    "Print an IAM policy for people who use the internal API of a stage in a role, or who use the commands that reach its " +
    "data themselves",
  examples: ["policy help-desk --stage prod > help-desk.json", "policy export --stage prod"],
  effect: "reads",
  arguments: {
    role: {
      kind: "choice",
      choices: [...roles, ...taskNames],
      description: "what the policy allows: a role, or the first word of the commands",
    },
  },
  async *run({ stage }, { role }) {
    if (stage === undefined) throw new CommandError("A policy is for a stage: add --stage NAME");
    const document = isTask(role)
      ? taskPolicyOf(role, await deployedData(stage), internalOperations())
      : policyOf(role, apiOperations(), await deployedApi(stage));
    yield JSON.stringify(document, undefined, 2);
  },
});

const isTask = (name: Role | TaskName): name is TaskName => (taskNames as readonly string[]).includes(name);

/** @throws InvalidStageError, and errors of AWS */
export async function deployedData(stage: string): Promise<DeployedData> {
  const cloudFormation = new CloudFormationClient({ region: readStage(stage).region });
  const [data, tables, buckets, messaging, api] = await Promise.all([
    deployedStack(cloudFormation, stage, "data"),
    deployedTables(cloudFormation, stage),
    deployedBuckets(cloudFormation, stage),
    deployedQueues(cloudFormation, stage),
    deployedApi(stage),
  ]);
  return {
    dataStackArn: data.arn,
    messagingStackArn: messaging.stackArn,
    tables,
    buckets,
    queues: [...messaging.queues.values()].map(({ url, deadLettersUrl }) => ({
      name: nameIn(url),
      deadLetters: nameIn(deadLettersUrl),
    })),
    api,
  };
}

const nameIn = (url: string): string => url.replace(/^.*\//, "");
