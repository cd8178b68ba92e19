import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { type Background, pause, printError, type Report } from "../timer.ts";
import type { LocalQueue } from "./queues.ts";

const longPollSeconds = 20;
const retryMilliseconds = 1000;
/** Number of concurrent batches, unless a queue wants more: a slow one does not delay the others. */
const usualConcurrency = 4;
/**
 * Time for which messages gather while another batch is under way, unless that was full: few large batches cost less.
 */
const gatherMilliseconds = 40;

/**
 * Hand the messages of a queue to its worker, as Lambda's event source mapping does. Messages that the worker reports
 * as failed, or all if it throws, stay in the queue and return after their visibility timeout; so do later ones of the
 * same group, to keep their order.
 */
export function startQueuePoller({
  client,
  queue,
  batchSize,
  concurrency = usualConcurrency,
  invoke,
  report = printError,
}: {
  client: SQSClient;
  queue: LocalQueue;
  batchSize: number;
  concurrency?: number;
  invoke(event: SQSEvent): Promise<unknown>;
  report?: Report;
}): Background {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function receive(): Promise<Message[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: queue.url,
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds: longPollSeconds,
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
    });
    const { Messages = [] } = await client.send(command, { abortSignal: signal });
    return Messages;
  }

  async function handle(messages: readonly Message[]): Promise<void> {
    const result = await invoke({ Records: messages.map((message) => toRecord(message, queue.arn)) });
    const { batchItemFailures = [] } = (result ?? {}) as Partial<SQSBatchResponse>;
    const handled = handledOf(
      messages,
      new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)),
    );
    if (handled.length === 0) return;
    const entries = handled.map(({ MessageId, ReceiptHandle }) => ({ Id: MessageId, ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries: entries }));
  }

  /**
   * A failure occupies the place of a batch for a while, so that a worker that always fails is not called incessantly.
   */
  async function recover(error: unknown): Promise<void> {
    if (signal.aborted) return;
    report(error);
    await pause(retryMilliseconds, signal);
  }

  /** Only one call waits for messages at a time: the emulator would wake all of them for each message. */
  async function run(): Promise<void> {
    const batches = new Set<Promise<void>>();
    while (!signal.aborted) {
      const messages = await receive().catch(recover);
      if (messages === undefined || messages.length === 0) continue;
      const batch: Promise<void> = handle(messages)
        .catch(recover)
        .finally(() => batches.delete(batch));
      batches.add(batch);
      if (batches.size === concurrency) await Promise.race(batches);
      else if (messages.length < batchSize) await Promise.race([batch, pause(gatherMilliseconds, signal)]);
    }
    await Promise.all(batches);
  }

  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Messages that a worker has handled: all except the failed ones and later ones of their groups. */
export function handledOf(messages: readonly Message[], failedIds: ReadonlySet<string>): Message[] {
  const failedGroups = new Set<string>();
  return messages.filter(({ MessageId = "", Attributes }) => {
    const group = Attributes?.MessageGroupId;
    const isFailed = failedIds.has(MessageId) || (group !== undefined && failedGroups.has(group));
    if (isFailed && group !== undefined) failedGroups.add(group);
    return !isFailed;
  });
}

/** A message as a record for the worker. */
export const toRecord = (message: Message, eventSourceARN: string): SQSRecord => ({
  messageId: message.MessageId ?? "",
  receiptHandle: message.ReceiptHandle ?? "",
  body: message.Body ?? "",
  md5OfBody: message.MD5OfBody ?? "",
  attributes: (message.Attributes ?? {}) as unknown as SQSRecord["attributes"],
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue }]) => [
      name,
      { dataType: DataType ?? "String", stringValue: StringValue },
    ]),
  ),
  eventSource: "aws:sqs",
  eventSourceARN,
  awsRegion: eventSourceARN.split(":")[3] ?? "",
});
