import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
  SQSServiceException,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { type QueueSpec, queues } from "#shared/registry/queues.ts";
import type { QueuePair } from "./stage-queues.ts";

/** Whether SQS does not support the call: emulators lack moves. */
export const isUnknownToSqs = (error: unknown): boolean =>
  error instanceof SQSServiceException &&
  /InvalidAction|UnsupportedOperation|UnknownOperation/.test(error.name);

/**
 * Let SQS move the messages of a dead-letter queue back to their queue.
 * @param rate messages a second at most
 * @returns false if this SQS does not support that
 */
export async function startMoving(
  sqs: SQSClient,
  { deadLetters }: QueuePair,
  rate: number | undefined,
): Promise<boolean> {
  try {
    await sqs.send(
      new StartMessageMoveTaskCommand({ SourceArn: deadLetters.arn, MaxNumberOfMessagesPerSecond: rate }),
    );
    return true;
  } catch (error) {
    if (isUnknownToSqs(error)) return false;
    throw error;
  }
}

/**
 * Send the messages of a dead-letter queue to their queue again, one after the other, until it is empty. If this stops
 * half-way, one message may be in both queues; workers handle it only once.
 *
 * @returns the number of messages
 */
export async function moveBack(
  sqs: SQSClient,
  { name, url, deadLetters }: QueuePair,
  rate: number | undefined,
): Promise<number> {
  const { isFifo }: QueueSpec = queues[name];
  for (let moved = 0; ; ) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: deadLetters.url,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      }),
    );
    if (Messages.length === 0) return moved;
    for (const message of Messages) {
      await sqs.send(new SendMessageCommand({ QueueUrl: url, ...contentOf(message, isFifo) }));
      await sqs.send(
        new DeleteMessageCommand({ QueueUrl: deadLetters.url, ReceiptHandle: message.ReceiptHandle }),
      );
      moved++;
      if (rate !== undefined) await delay(1000 / rate);
    }
  }
}

function contentOf({ MessageId, Body, MessageAttributes, Attributes = {} }: Message, isFifo: boolean) {
  const content = { MessageBody: Body, MessageAttributes };
  if (!isFifo) return content;
  // Differs from the id of the first sending, which SQS may still remember; the same if this is repeated.
  return { ...content, MessageGroupId: Attributes.MessageGroupId, MessageDeduplicationId: MessageId };
}
