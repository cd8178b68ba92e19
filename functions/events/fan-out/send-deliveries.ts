import { createHash } from "node:crypto";
import { SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import type { Delivery, DeliveryMessage } from "#shared/events/delivery-message.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import type { Deps } from "./deps.ts";

/** SQS takes ten messages and 256 KB in one call. */
const maxMessages = 10;
const maxCallBytes = 250 * 1024;
/** Size of one message, so that several fit into a call. */
const maxMessageBytes = 100 * 1024;
/** Recipients of a delivery in one message, whom a worker must serve in one run. */
const maxRecipients = 500;
/** Size of a delivery's recipients, so that the event fits into the message, too. */
const maxRecipientsBytes = 60 * 1024;

interface Message {
  readonly shard: string;
  readonly body: string;
  readonly deliveries: readonly Delivery[];
}

/**
 * Send deliveries to their shards, in order. After a failure, nothing more is sent to the shard.
 * @returns ids of the events that have not been sent to all their shards
 */
export async function sendDeliveries(
  { config, log, sqs }: Deps,
  byShard: ReadonlyMap<string, readonly Delivery[]>,
): Promise<Set<string>> {
  const waiting = new Map([...byShard].map(([shard, deliveries]) => [shard, toMessages(shard, deliveries)]));
  const unsent = new Set<string>();

  async function send(messages: readonly Message[]): Promise<void> {
    const failed = await sendBatch(messages);
    for (const { shard, deliveries } of failed) {
      for (const { eventId } of [
        ...deliveries,
        ...(waiting.get(shard) ?? []).flatMap((one) => one.deliveries),
      ]) {
        unsent.add(eventId);
      }
      waiting.delete(shard);
    }
  }

  async function sendBatch(messages: readonly Message[]): Promise<readonly Message[]> {
    try {
      const { Failed = [] } = await sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: config.queueUrl("deliveries"),
          Entries: messages.map(({ shard, body }, index) => ({
            Id: String(index),
            MessageBody: body,
            MessageGroupId: shard,
            // The SDK may repeat a call whose answer was lost.
            MessageDeduplicationId: createHash("sha256").update(body).digest("hex"),
          })),
        }),
      );
      for (const { Code, Message: text } of Failed) log.warn("deliveries-not-sent", { Code, text });
      const failed = new Set(Failed.map(({ Id }) => Number(Id)));
      return messages.filter((_, index) => failed.has(index));
    } catch (error) {
      log.warn("deliveries-not-sent", { error: error as Error });
      return messages;
    }
  }

  for (;;) {
    // One message per shard and call, because SQS may accept a later message of a call without an earlier one.
    const round = [...waiting.values()].flatMap((messages) => messages.splice(0, 1));
    if (round.length === 0) return unsent;
    await Promise.all(chunks(round, maxMessages).flatMap(bySize).map(send));
  }
}

function toMessages(shard: string, deliveries: readonly Delivery[]): Message[] {
  const messages: Message[] = [];
  let group: Delivery[] = [];
  let bytes = 0;
  const close = () => {
    if (group.length === 0) return;
    const body = toSqsText({ deliveries: group } satisfies DeliveryMessage);
    messages.push({ shard, body, deliveries: group });
    group = [];
    bytes = 0;
  };
  const pieces = deliveries.flatMap((one) =>
    divideRecipients(one.recipients).map((recipients) => ({ ...one, recipients })),
  );
  for (const piece of pieces) {
    const size = Buffer.byteLength(toSqsText(piece));
    if (bytes + size > maxMessageBytes) close();
    group.push(piece);
    bytes += size;
  }
  close();
  return messages;
}

/** Divides recipients into parts that fit into a message and into one run of a worker. */
function divideRecipients(recipients: Delivery["recipients"]): Delivery["recipients"][] {
  const parts: Delivery["recipients"][] = [];
  let bytes = 0;
  for (const recipient of recipients) {
    const size = Buffer.byteLength(toSqsText(recipient));
    const last = parts.at(-1);
    if (last === undefined || last.length === maxRecipients || bytes + size > maxRecipientsBytes) {
      parts.push([recipient]);
      bytes = size;
    } else {
      last.push(recipient);
      bytes += size;
    }
  }
  return parts;
}

/** Divides messages so that each part fits into one call. */
function bySize(messages: readonly Message[]): Message[][] {
  const calls: Message[][] = [];
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
