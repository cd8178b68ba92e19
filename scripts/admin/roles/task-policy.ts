import type { BucketName } from "#shared/registry/buckets.ts";
import type { TableName } from "#shared/registry/tables.ts";
import type { Operation } from "../operations.ts";
import {
  callStatements,
  type DeployedApi,
  type Policy,
  patternOf,
  policyWith,
  type Statement,
} from "./policy.ts";
import { type Task, type TaskName, tasks } from "./tasks.ts";

/** The resources of a stage, by the names that AWS has given them. */
export interface DeployedData {
  /** ARNs of the stacks `data` and `messaging`. */
  readonly dataStackArn: string;
  readonly messagingStackArn: string;
  readonly tables: ReadonlyMap<TableName, string>;
  readonly buckets: ReadonlyMap<BucketName, string>;
  readonly queues: readonly { readonly name: string; readonly deadLetters: string }[];
  readonly api: DeployedApi;
}

/**
 * The policy of those who do a task with the data of a stage: its resources, the operations that it also calls, and the
 * permissions that `--stage` needs to find them.
 *
 * @param operations of the internal API
 */
export function taskPolicyOf(name: TaskName, data: DeployedData, operations: readonly Operation[]): Policy {
  const task: Task = tasks[name];
  const statements = [
    ...tableStatements(task, data),
    ...bucketStatements(task, data),
    ...(task.movesMessages ? queueStatements(data) : []),
    ...apiStatements(task, data, operations),
  ];
  return policyWith([...statements, findingStatement(task, data)]);
}

/** One statement for all tables with the same actions. */
function tableStatements({ tables = {} }: Task, { dataStackArn, tables: names }: DeployedData): Statement[] {
  const byActions = Map.groupBy(Object.entries(tables), ([, actions]) => actions.join());
  return [...byActions.values()].map((entries, index) => ({
    Sid: `UseTables${index + 1}`,
    Effect: "Allow",
    Action: (entries[0]?.[1] ?? []).map((action) => `dynamodb:${action}`),
    Resource: entries.map(([table]) =>
      arnOf(dataStackArn, "dynamodb", `table/${names.get(table as TableName)}`),
    ),
  }));
}

/** Without the permission to list a bucket, S3 answers 403 instead of 404 for a missing object. */
function bucketStatements(
  { buckets = [] }: Task,
  { dataStackArn, buckets: names }: DeployedData,
): Statement[] {
  if (buckets.length === 0) return [];
  const [, partition] = dataStackArn.split(":");
  return [
    {
      Sid: "ReadObjects",
      Effect: "Allow",
      Action: ["s3:GetObject", "s3:ListBucket", "s3:ListBucketMultipartUploads"],
      Resource: buckets.flatMap((bucket) =>
        ["", "/*"].map((suffix) => `arn:${partition}:s3:::${names.get(bucket)}${suffix}`),
      ),
    },
  ];
}

function queueStatements({ messagingStackArn, queues }: DeployedData): Statement[] {
  const reading = ["sqs:GetQueueUrl", "sqs:GetQueueAttributes"];
  return [
    {
      Sid: "MoveDeadLetters",
      Effect: "Allow",
      Action: [
        ...reading,
        "sqs:ReceiveMessage",
        "sqs:ChangeMessageVisibility",
        "sqs:DeleteMessage",
        "sqs:PurgeQueue",
        "sqs:StartMessageMoveTask",
        "sqs:ListMessageMoveTasks",
      ],
      Resource: queues.map(({ deadLetters }) => arnOf(messagingStackArn, "sqs", deadLetters)),
    },
    {
      Sid: "SendThemAgain",
      Effect: "Allow",
      Action: [...reading, "sqs:SendMessage"],
      Resource: queues.map(({ name }) => arnOf(messagingStackArn, "sqs", name)),
    },
  ];
}

function apiStatements(
  { calls = [] }: Task,
  { api }: DeployedData,
  operations: readonly Operation[],
): readonly Statement[] {
  if (calls.length === 0) return [];
  const called = operations.filter(({ operationId }) => calls.includes(operationId));
  return callStatements(called.map(patternOf), api);
}

const findingStatement = ({ movesMessages }: Task, data: DeployedData): Statement => ({
  Sid: "FindThem",
  Effect: "Allow",
  Action: [
    "cloudformation:DescribeStacks",
    ...(movesMessages ? ["cloudformation:DescribeStackResources"] : []),
  ],
  Resource: [data.dataStackArn, ...(movesMessages ? [data.messagingStackArn] : [])].map((arn) =>
    arn.replace(/[^/]*$/, "*"),
  ),
});

/** ARN of a resource in the account and region of a stack. */
function arnOf(stackArn: string, service: string, resource: string): string {
  const [, partition, , region, account] = stackArn.split(":");
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}
