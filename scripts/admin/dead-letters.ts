import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { allDone } from "#shared/platform/all-done.ts";
import type { QueueName } from "#shared/registry/queues.ts";
import { limit } from "./arguments.ts";
import { type Argument, type Context, defineCommand, type Option } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { isUnknownToSqs, moveBack, startMoving } from "./move-messages.ts";
import { findStageData } from "./stage-data.ts";
import { queueNames, StageQueues } from "./stage-queues.ts";

const queue = { kind: "choice", description: "which queue", choices: queueNames } as const satisfies Argument;
const options = {
  "table-prefix": {
    kind: "text",
    placeholder: "PREFIX",
    description: "instead of a stage: prefix of the names of its queues",
  },
} as const satisfies Record<string, Option>;

/** Queues whose dead letters are stored nowhere else; those of others are in the outbox, or useless later. */
const irreplaceable: ReadonlySet<QueueName> = new Set([
  "events",
  "deliveries",
  "mail-feedback",
  "cells-events",
]);

/** Time for which messages that one operator looks at are hidden from others. */
const lookingSeconds = 30;

const counts = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;

/** Record what is about to be done to the messages of a queue. */
const record = (
  { api, stage }: Pick<Context, "api" | "stage">,
  prefix: string | undefined,
  command: string,
  name: QueueName,
) =>
  findStageData(
    { api, stage, url: undefined },
    { "table-prefix": prefix, settings: undefined },
    { command, event: "messages.handled", target: { queue: name, message: "all" } },
  );

export const deadLettersList = defineCommand({
  name: "dead-letters list",
  summary: "Count the messages in the dead-letter queues",
  examples: ["dead-letters list --stage prod"],
  effect: "reads",
  options,
  async run({ stage }, { "table-prefix": prefix }) {
    const found = new StageQueues(stage, prefix);
    return Promise.all(
      queueNames.map(async (name) => {
        const { deadLetters } = await found.find(name);
        const { Attributes = {} } = await found.sqs.send(
          new GetQueueAttributesCommand({ QueueUrl: deadLetters.url, AttributeNames: [...counts] }),
        );
        const messages = counts.reduce((sum, count) => sum + Number(Attributes[count] ?? 0), 0);
        return { queue: name, messages };
      }),
    );
  },
});

export const deadLettersShow = defineCommand({
  name: "dead-letters show",
  summary: `Show some messages of a dead-letter queue without contents; they are hidden from others for ${lookingSeconds} s`,
  examples: ["dead-letters show deliveries --stage prod", "dead-letters show mail --limit 20 --stage prod"],
  effect: "reads",
  arguments: { queue },
  options: { ...options, limit },
  async run({ stage, note }, { queue: name, "table-prefix": prefix, limit: most }) {
    const found = new StageQueues(stage, prefix);
    const { deadLetters } = await found.find(name);
    const messages = await lookAt(found.sqs, deadLetters.url, most);
    if (messages.length === most) note("There may be more: raise --limit.");
    return messages.map(({ MessageId, Attributes = {}, Body = "" }) => ({
      id: MessageId,
      group: Attributes.MessageGroupId,
      sent: new Date(Number(Attributes.SentTimestamp)).toISOString(),
      received: Number(Attributes.ApproximateReceiveCount),
      bytes: Buffer.byteLength(Body),
    }));
  },
});

/** Receive messages without removing them; of a FIFO queue, only the first of each group. */
async function lookAt(sqs: SQSClient, url: string, limit: number): Promise<Message[]> {
  const found = new Map<string, Message>();
  while (found.size < limit) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: Math.min(10, limit - found.size),
        VisibilityTimeout: lookingSeconds,
        MessageSystemAttributeNames: ["All"],
      }),
    );
    const fresh = Messages.filter(({ MessageId = "" }) => !found.has(MessageId));
    if (fresh.length === 0) break;
    for (const message of fresh) found.set(message.MessageId ?? "", message);
  }
  const messages = [...found.values()];
  await allDone(
    messages.map(({ ReceiptHandle }) =>
      sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 })),
    ),
  );
  return messages;
}

export const deadLettersRepeat = defineCommand({
  name: "dead-letters repeat",
  summary: "Move the messages of a dead-letter queue back, once the cause is fixed",
  examples: [
    "dead-letters repeat deliveries --stage prod",
    "dead-letters repeat deliveries --rate 10 --stage prod",
  ],
  effect: "changes",
  arguments: { queue },
  options: {
    ...options,
    rate: {
      kind: "integer",
      placeholder: "NUMBER",
      minimum: 1,
      maximum: 500,
      description: "messages a second at most; by default, as fast as SQS moves them",
    },
  },
  async run({ api, stage, isDryRun, note }, { queue: name, rate, "table-prefix": prefix }) {
    const found = new StageQueues(stage, prefix);
    const pair = await found.find(name);
    const moving = { moving_from: pair.deadLetters.arn };
    if (isDryRun) return moving;
    await record({ api, stage }, prefix, "dead-letters repeat", name);
    if (await startMoving(found.sqs, pair, rate)) {
      note(`SQS moves them by itself: dead-letters moves ${name} shows its progress.`);
      return moving;
    }
    note("This SQS does not move messages by itself, as emulators do not: they are sent again one by one.");
    return { ...moving, moved: await moveBack(found.sqs, pair, rate) };
  },
});

export const deadLettersMoves = defineCommand({
  name: "dead-letters moves",
  summary:
    "Show the latest moves of the messages of a dead-letter queue, with their progress, and why one failed",
  examples: ["dead-letters moves deliveries --stage prod"],
  effect: "reads",
  arguments: { queue },
  options,
  async run({ stage, note }, { queue: name, "table-prefix": prefix }) {
    const found = new StageQueues(stage, prefix);
    const { deadLetters } = await found.find(name);
    // The number that SQS keeps.
    const list = new ListMessageMoveTasksCommand({ SourceArn: deadLetters.arn, MaxResults: 10 });
    const { Results = [] } = await found.sqs.send(list).catch((error: unknown) => {
      if (!isUnknownToSqs(error)) throw error;
      note("This SQS does not move messages by itself, as emulators do not.");
      return { Results: [] };
    });
    return Results.map((task) => ({
      status: task.Status,
      started:
        task.StartedTimestamp === undefined ? undefined : new Date(task.StartedTimestamp).toISOString(),
      moved: task.ApproximateNumberOfMessagesMoved,
      of: task.ApproximateNumberOfMessagesToMove,
      rate: task.MaxNumberOfMessagesPerSecond,
      failure: task.FailureReason,
    }));
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
    force: { kind: "flag", description: "even if its messages are stored nowhere else" },
  },
  async run({ api, stage, isDryRun, confirm }, { queue: name, force, "table-prefix": prefix }) {
    if (irreplaceable.has(name) && !force)
      throw new CommandError(
        `The messages of ${name} are stored nowhere else: dead-letters repeat, or --force`,
      );
    const found = new StageQueues(stage, prefix);
    const { arn, url } = (await found.find(name)).deadLetters;
    await confirm(name, "the queue");
    if (isDryRun) return { purged: arn };
    await record({ api, stage }, prefix, "dead-letters purge", name);
    await found.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
    return { purged: arn };
  },
});
