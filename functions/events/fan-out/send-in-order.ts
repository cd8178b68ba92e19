import { SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import type { BotEvent } from "#shared/events/bot-event.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import type { QueueName } from "#shared/registry/queues.ts";
import type { Deps } from "./deps.ts";

/** SQS takes ten messages and 256 KB in one call. */
const maxMessages = 10;
const maxCallBytes = 250 * 1024;

/** A message for a FIFO queue. */
export interface OrderedMessage {
  readonly group: string;
  readonly body: string;
  /** The SDK may repeat a call whose answer was lost. */
  readonly deduplicationId: string;
  /** Ids of the events that it carries. */
  readonly eventIds: readonly string[];
}

/**
 * Send messages to a FIFO queue, those of a group in order. After a failure, nothing more is sent to the group.
 * @returns ids of the events that have not been sent completely
 */
export async function sendInOrder(
  { config, log, sqs }: Pick<Deps, "config" | "log" | "sqs">,
  queue: QueueName,
  messages: readonly OrderedMessage[],
): Promise<Set<string>> {
  const waiting = Map.groupBy(messages, ({ group }) => group);
  const unsent = new Set<string>();

  async function send(batch: readonly OrderedMessage[]): Promise<void> {
    for (const message of await sendBatch(batch)) {
      for (const { eventIds } of [message, ...(waiting.get(message.group) ?? [])]) {
        for (const eventId of eventIds) unsent.add(eventId);
      }
      waiting.delete(message.group);
    }
  }

  /** @returns the messages that were not sent */
  async function sendBatch(batch: readonly OrderedMessage[]): Promise<readonly OrderedMessage[]> {
    try {
      const { Failed = [] } = await sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: config.queueUrl(queue),
          Entries: batch.map(({ group, body, deduplicationId }, index) => ({
            Id: String(index),
            MessageBody: body,
            MessageGroupId: group,
            MessageDeduplicationId: deduplicationId,
          })),
        }),
      );
      for (const { Code, Message: text } of Failed) log.warn("events-not-sent", { queue, Code, text });
      const failed = new Set(Failed.map(({ Id }) => Number(Id)));
      return batch.filter((_, index) => failed.has(index));
    } catch (error) {
      log.warn("events-not-sent", { queue, error: error as Error });
      return batch;
    }
  }

  for (;;) {
    // One message per group and call, because SQS may accept a later message of a call without an earlier one.
    const round = [...waiting.values()].flatMap((ofGroup) => ofGroup.splice(0, 1));
    if (round.length === 0) return unsent;
    await Promise.all(chunks(round, maxMessages).flatMap(bySize).map(send));
  }
}

/** Divides messages so that each part fits into one call. */
function bySize(messages: readonly OrderedMessage[]): OrderedMessage[][] {
  const calls: OrderedMessage[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = Buffer.byteLength(message.body);
    if (bytes + size > maxCallBytes) {
      calls.push([]);
      bytes = 0;
    }
    calls.at(-1)?.push(message);
    bytes += size;
  }
  return calls;
}

/**
 * Send events to the queue of bots, in the order of each bot. Messages that were sent within the last five minutes are
 * not sent again.
 * @returns ids of the events that have not been sent to all their bots
 */
export const sendToBots = (deps: Deps, events: readonly BotEvent[]): Promise<Set<string>> =>
  sendInOrder(
    deps,
    "bot-events",
    events.map((event) => ({
      group: event.botId,
      body: toSqsText(event),
      deduplicationId: event.id,
      eventIds: [event.eventId],
    })),
  );
