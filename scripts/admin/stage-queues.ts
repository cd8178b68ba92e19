import { CloudFormationClient, DescribeStackResourcesCommand } from "@aws-sdk/client-cloudformation";
import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import { stackPrefix } from "#lib/releases/deployed-stacks.ts";
import { readStage } from "#lib/stage.ts";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import { CommandError } from "./command-error.ts";

export const queueNames = Object.keys(queues) as QueueName[];

/** A queue, and its dead-letter queue. */
export interface QueuePair {
  readonly name: QueueName;
  readonly url: string;
  readonly deadLetters: { readonly url: string; readonly arn: string };
}

/** Finds the queues of a stage, or those whose names begin with a prefix, with the credentials of the operator. */
export class StageQueues {
  readonly sqs: SQSClient;
  readonly #urlOf: (name: QueueName) => Promise<string>;

  /** @throws CommandError unless exactly one of them is named */
  constructor(stage: string | undefined, prefix: string | undefined) {
    if ((stage === undefined) === (prefix === undefined))
      throw new CommandError(
        "Name either a --stage, or a --table-prefix: npm start keeps its queues to itself",
      );
    const region = stage === undefined ? undefined : readStage(stage).region;
    this.sqs = new SQSClient({ region, useQueueUrlAsEndpoint: false });
    if (stage === undefined) {
      const fifo = (name: QueueName) => (queues[name].isFifo ? ".fifo" : "");
      this.#urlOf = (name) => this.#urlNamed(`${prefix}-${name}${fifo(name)}`);
    } else {
      const deployed = deployedQueues(new CloudFormationClient({ region }), stage);
      this.#urlOf = async (name) => {
        const found = (await deployed).queues.get(name);
        if (found === undefined) throw new CommandError(`The stage ${stage} has no queue ${name}`);
        return found.url;
      };
    }
  }

  async find(name: QueueName): Promise<QueuePair> {
    const url = await this.#urlOf(name);
    const { Attributes: { RedrivePolicy = "{}" } = {} } = await this.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["RedrivePolicy"] }),
    );
    const arn: string = JSON.parse(RedrivePolicy).deadLetterTargetArn;
    return { name, url, deadLetters: { arn, url: await this.#urlNamed(arn.split(":").at(-1) ?? "") } };
  }

  async #urlNamed(name: string): Promise<string> {
    const { QueueUrl = "" } = await this.sqs.send(new GetQueueUrlCommand({ QueueName: name }));
    return QueueUrl;
  }
}

/** A queue of a deployed stage by its address, and its dead-letter queue. */
interface DeployedQueue {
  readonly url: string;
  readonly deadLettersUrl: string;
}

/**
 * The queues of a deployed stage; the ids of these resources begin with the names of the queues.
 * @returns also the ARN of their stack
 */
export async function deployedQueues(
  cloudFormation: CloudFormationClient,
  stage: string,
): Promise<{ readonly stackArn: string; readonly queues: ReadonlyMap<QueueName, DeployedQueue> }> {
  const { StackResources = [] } = await cloudFormation.send(
    new DescribeStackResourcesCommand({ StackName: `${stackPrefix(stage)}messaging` }),
  );
  const urlOf = (id: string) =>
    StackResources.find(
      ({ LogicalResourceId = "", ResourceType }) =>
        ResourceType === "AWS::SQS::Queue" && LogicalResourceId.startsWith(id),
    )?.PhysicalResourceId;
  const found = queueNames.flatMap((name) => {
    const id = `${name.replaceAll("-", "")}queue`;
    const [url, deadLettersUrl] = [urlOf(`${id}Queue`), urlOf(`${id}DeadLetters`)];
    return url === undefined || deadLettersUrl === undefined
      ? []
      : [[name, { url, deadLettersUrl }] as const];
  });
  return { stackArn: StackResources[0]?.StackId ?? "", queues: new Map(found) };
}
