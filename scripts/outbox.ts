/**
 * Lists messages that were given up, puts them back to be handled again, or drops them. It needs AWS credentials that
 * may read and write the outbox table, whose name the data stack outputs as `outboxtablename`.
 *
 *   npm run outbox -- list    --table NAME [--queue NAME]
 *   npm run outbox -- show    --table NAME --queue NAME ID
 *   npm run outbox -- redrive --table NAME --queue NAME (ID... | --all)
 *   npm run outbox -- drop    --table NAME --queue NAME ID...
 *
 * `list` prints one JSON object a line, without contents; `show` prints all of one message. What is put back is sent by
 * the sweeper within a minute.
 */
import { parseArgs } from "node:util";
import { ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type ParkedMessage, ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import { parseSettings } from "#shared/registry/settings.ts";

class UsageError extends Error {}

const usage = "usage: npm run outbox -- list|show|redrive|drop --table NAME [--queue NAME] [--all] [ID...]";

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      table: { type: "string" },
      queue: { type: "string" },
      all: { type: "boolean", default: false },
    },
  });
  const [command = "", ...ids] = positionals;
  const { table, queue, all } = values;
  if (table === undefined) throw new UsageError(usage);
  if (queue !== undefined && !Object.hasOwn(queues, queue)) {
    throw new UsageError(`There is no queue ${queue}; queues are ${Object.keys(queues).join(", ")}`);
  }
  return { command, ids, table, queue: queue as QueueName | undefined, all };
}

async function run(): Promise<void> {
  const { command, ids, table, queue, all } = readArguments();
  const parked = new ParkedMessages({
    dynamo: createDynamo(),
    clock: systemClock,
    config: { tableName: () => table, settings: parseSettings({}) },
  });

  async function find(queueName: QueueName, isWanted: (message: ParkedMessage) => boolean) {
    const found: ParkedMessage[] = [];
    for await (const message of parked.of(queueName)) if (isWanted(message)) found.push(message);
    return found;
  }

  async function change(action: "redrive" | "drop"): Promise<void> {
    if (queue === undefined || (ids.length === 0) !== (all && action === "redrive"))
      throw new UsageError(usage);
    const chosen = all ? (await find(queue, () => true)).map(({ messageId }) => messageId) : ids;
    for (const messageId of chosen) {
      const isDone = await parked[action](queue, messageId);
      console.log(isDone ? `${action}: ${messageId}` : `not parked: ${messageId}`);
      if (!isDone) process.exitCode = 1;
    }
  }

  if (command === "list") {
    for (const name of queue === undefined ? (Object.keys(queues) as QueueName[]) : [queue]) {
      for await (const { payload: _, ...message } of parked.of(name)) console.log(JSON.stringify(message));
    }
  } else if (command === "show" && queue !== undefined && ids.length === 1) {
    for (const message of await find(queue, ({ messageId }) => messageId === ids[0])) {
      console.log(JSON.stringify(message, undefined, 2));
    }
  } else if (command === "redrive" || command === "drop") {
    await change(command);
  } else {
    throw new UsageError(usage);
  }
}

try {
  await run();
} catch (error) {
  const isExpected = error instanceof UsageError || error instanceof ResourceNotFoundException;
  if (!isExpected) throw error;
  console.error(error instanceof UsageError ? error.message : "There is no such table here");
  process.exitCode = 1;
}
