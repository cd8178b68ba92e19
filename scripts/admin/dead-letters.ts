import { CloudFormationClient, DescribeStackResourcesCommand } from "@aws-sdk/client-cloudformation";
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { stackPrefix } from "#lib/releases/deployed-stacks.ts";
import { readStage } from "#lib/stage.ts";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import { type Argument, defineCommand, type Option } from "./command.ts";
import { CommandError } from "./command-error.ts";

const queueNames = Object.keys(queues) as QueueName[];
const queue = { kind: "choice", description: "which queue", choices: queueNames } as const satisfies Argument;
const options = {
  "table-prefix": {
    kind: "text",
    placeholder: "PREFIX",
    description: "instead of a stage: what the names of its queues begin with",
  },
} as const satisfies Record<string, Option>;

/** Queues whose dead letters are nowhere else; those of others are in the outbox, or of no use later. */
const irreplaceable: ReadonlySet<QueueName> = new Set([
  "events",
  "deliveries",
  "mail-feedback",
  "cells-events",
]);

interface DeadLetters {
  readonly url: string;
  readonly arn: string;
}

/** Finds queues with the credentials of the operator. */
class Queues {
  readonly sqs: SQSClient;
  readonly #urlOf: (name: QueueName) => Promise<string>;

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
      const urls = deployedQueues(new CloudFormationClient({ region }), stage);
      this.#urlOf = async (name) => {
        const url = (await urls).get(name);
        if (url === undefined) throw new CommandError(`The stage ${stage} has no queue ${name}`);
        return url;
      };
    }
  }

  async deadLettersOf(name: QueueName): Promise<DeadLetters> {
    const { Attributes: { RedrivePolicy = "{}" } = {} } = await this.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: await this.#urlOf(name), AttributeNames: ["RedrivePolicy"] }),
    );
    const arn: string = JSON.parse(RedrivePolicy).deadLetterTargetArn;
    return { arn, url: await this.#urlNamed(arn.split(":").at(-1) ?? "") };
  }

  async #urlNamed(name: string): Promise<string> {
    const { QueueUrl = "" } = await this.sqs.send(new GetQueueUrlCommand({ QueueName: name }));
    return QueueUrl;
  }
}

/** Addresses of the queues of a deployed stage; their ids of resources begin with their names. */
async function deployedQueues(
  cloudFormation: CloudFormationClient,
  stage: string,
): Promise<Map<QueueName, string>> {
  const { StackResources = [] } = await cloudFormation.send(
    new DescribeStackResourcesCommand({ StackName: `${stackPrefix(stage)}messaging` }),
  );
  return new Map(
    queueNames.flatMap((name) => {
      const id = `${name.replaceAll("-", "")}queueQueue`;
      const found = StackResources.find(
        ({ LogicalResourceId = "", ResourceType }) =>
          ResourceType === "AWS::SQS::Queue" && LogicalResourceId.startsWith(id),
      );
      return found?.PhysicalResourceId === undefined ? [] : [[name, found.PhysicalResourceId] as const];
    }),
  );
}

const counts = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;

export const deadLettersList = defineCommand({
  name: "dead-letters list",
  summary: "Count the messages in the dead-letter queues",
  examples: ["dead-letters list --stage prod"],
  effect: "reads",
  options,
  async run({ stage }, { "table-prefix": prefix }) {
    const found = new Queues(stage, prefix);
    return Promise.all(
      queueNames.map(async (name) => {
        const { url } = await found.deadLettersOf(name);
        const { Attributes = {} } = await found.sqs.send(
          new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...counts] }),
        );
        const messages = counts.reduce((sum, count) => sum + Number(Attributes[count] ?? 0), 0);
        return { queue: name, messages };
      }),
    );
  },
});

export const deadLettersRepeat = defineCommand({
  name: "dead-letters repeat",
  summary: "Move the messages of a dead-letter queue back, once the cause is fixed",
  examples: ["dead-letters repeat deliveries --stage prod"],
  effect: "changes",
  arguments: { queue },
  options,
  async run({ stage, isDryRun }, { queue: name, "table-prefix": prefix }) {
    const found = new Queues(stage, prefix);
    const { arn } = await found.deadLettersOf(name);
    if (!isDryRun) await found.sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arn }));
    return { moving_from: arn };
  },
});

export const deadLettersPurge = defineCommand({
  name: "dead-letters purge",
  summary:
    "Drop the messages of a dead-letter queue, once the cause is fixed and the sweeper has repeated them",
  examples: ["dead-letters purge mail --stage prod --yes mail"],
  effect: "changes",
  confirms: "the name of the queue",
  arguments: { queue },
  options: {
    ...options,
    force: { kind: "flag", description: "even if its messages are nowhere else" },
  },
  async run({ stage, isDryRun, confirm }, { queue: name, force, "table-prefix": prefix }) {
    if (irreplaceable.has(name) && !force)
      throw new CommandError(`The messages of ${name} are nowhere else: dead-letters repeat, or --force`);
    const found = new Queues(stage, prefix);
    const { arn, url } = await found.deadLettersOf(name);
    await confirm(name, "the queue");
    if (!isDryRun) await found.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
    return { purged: arn };
  },
});
