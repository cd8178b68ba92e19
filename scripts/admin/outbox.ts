import { someIds } from "#shared/platform/audit/audited.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type ParkedMessage, ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import { type Argument, type Context, defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { type Action, unrecorded } from "./record-action.ts";
import { findStageData, stageDataOptions, tableNameIn } from "./stage-data.ts";

const queueNames = Object.keys(queues) as QueueName[];
const queue = { kind: "choice", description: "which queue", choices: queueNames } as const satisfies Argument;
const message = { kind: "id", description: "messageId from outbox list" } as const satisfies Argument;

async function parkedIn(...where: Parameters<typeof findStageData>): Promise<ParkedMessages> {
  const data = await findStageData(...where);
  return new ParkedMessages({
    dynamo: createDynamo(),
    clock: systemClock,
    config: { tableName: tableNameIn(data), settings: data.settings },
  });
}

async function allOf(parked: ParkedMessages, name: QueueName): Promise<ParkedMessage[]> {
  const found: ParkedMessage[] = [];
  for await (const one of parked.of(name)) found.push(one);
  return found;
}

export const outboxList = defineCommand({
  name: "outbox list",
  summary: "List the messages that were given up, with the reason and without contents",
  examples: ["outbox list --stage prod", "outbox list events --stage prod --json"],
  effect: "reads",
  arguments: { queue: { ...queue, isOptional: true } },
  options: stageDataOptions,
  async run(context, values) {
    const parked = await parkedIn(context, values, unrecorded.impersonal);
    const wanted = values.queue === undefined ? queueNames : [values.queue];
    const found = await Promise.all(wanted.map((name) => allOf(parked, name)));
    return found.flat().map(({ payload: _, ...shown }) => shown);
  },
});

export const outboxShow = defineCommand({
  name: "outbox show",
  summary: "Show a message that was given up, with its content, which is private",
  examples: ['outbox show events "2026-11-26T12:00:00.000Z#000000#5f0c" --stage prod'],
  effect: "reads",
  arguments: { queue, message },
  options: stageDataOptions,
  async run(context, values) {
    const target = { queue: values.queue, message: values.message };
    const parked = await parkedIn(context, values, {
      command: "outbox show",
      event: "messages.handled",
      target,
    });
    for await (const one of parked.of(values.queue)) if (one.messageId === values.message) return one;
    throw new CommandError(`${values.message} is not parked`);
  },
});

const changeOf = (
  command: string,
  { isDryRun }: Pick<Context, "isDryRun">,
  { queue: name, message: ids }: { queue: QueueName; message: readonly string[] },
): Action =>
  isDryRun
    ? unrecorded.dryRun
    : {
        command,
        event: "messages.handled",
        target: { queue: name, message: ids.length === 0 ? "all" : someIds(ids) },
      };

/** Do something to messages of a queue. One that is not parked makes the command fail, but does not stop the others. */
async function change(
  { isDryRun, fail }: Context,
  ids: readonly string[],
  act: (id: string) => Promise<boolean>,
  done: string,
): Promise<{ message: string; outcome: string }[]> {
  const outcomes: { message: string; outcome: string }[] = [];
  for (const id of ids) {
    const isDone = isDryRun || (await act(id));
    outcomes.push({ message: id, outcome: isDone ? done : "not parked" });
    if (!isDone) fail();
  }
  return outcomes;
}

export const outboxRepeat = defineCommand({
  name: "outbox repeat",
  summary: "Put messages back to be handled again: the sweeper sends them within a minute",
  examples: [
    'outbox repeat events "2026-11-26T12:00:00.000Z#000000#5f0c" --stage prod',
    "outbox repeat events --all --stage prod",
  ],
  effect: "changes",
  arguments: { queue, message: { ...message, isOptional: true, isRepeated: true } },
  options: { ...stageDataOptions, all: { kind: "flag", description: "all messages of the queue" } },
  async run(context, values) {
    if (values.all === values.message.length > 0)
      throw new CommandError("Name either messages, or --all of the queue");
    const parked = await parkedIn(context, values, changeOf("outbox repeat", context, values));
    const ids = values.all
      ? (await allOf(parked, values.queue)).map(({ messageId }) => messageId)
      : values.message;
    return change(context, ids, (id) => parked.redrive(values.queue, id), "put back");
  },
});

export const outboxDrop = defineCommand({
  name: "outbox drop",
  summary: "Drop messages for good",
  examples: ['outbox drop events "2026-11-26T12:00:00.000Z#000000#5f0c" --stage prod --yes events'],
  effect: "changes",
  confirms: "the name of the queue",
  arguments: { queue, message: { ...message, isRepeated: true } },
  options: stageDataOptions,
  async run(context, values) {
    await context.confirm(values.queue, "the queue");
    const parked = await parkedIn(context, values, changeOf("outbox drop", context, values));
    return change(context, values.message, (id) => parked.drop(values.queue, id), "dropped");
  },
});
