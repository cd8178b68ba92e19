import { setTimeout as delay } from "node:timers/promises";
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  type Message,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { type RelayOrder, relayMessage, relayQueue } from "#shared/events/sockets/relay.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import type { Log } from "#shared/platform/log.ts";

const longPollSeconds = 20;
const pauseAfterFailureMilliseconds = 500;
/** One request to the queue waits while the messages of another are handled. */
const receivers = 2;
/** Messages remembered, so that one that is delivered again is not handled twice. */
const remembered = 10_000;

const attributes = {
  FifoQueue: "true",
  DeduplicationScope: "messageGroup",
  FifoThroughputLimit: "perMessageGroupId",
  SqsManagedSseEnabled: "true",
  // Limits how long a message that could not be deleted delays its group.
  VisibilityTimeout: "10",
  // By then, clients have read such frames from their logs.
  MessageRetentionPeriod: "300",
};

/** The queue of a relay. It exists from `open` to `remove`. */
export class RelayInbox {
  readonly #sqs = new SQSClient({ ...awsClientOptions({ patience: 12 }) });
  readonly #url: string;
  readonly #name: string;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #seen = new Set<string>();
  #receiving: Promise<unknown> = Promise.resolve();

  /** @param options.queues prefix of the URLs of the relays' queues */
  constructor({ queues, relayId, log }: { queues: string; relayId: string; log: Log }) {
    this.#url = relayQueue(queues, relayId);
    this.#name = this.#url.slice(this.#url.lastIndexOf("/") + 1);
    this.#log = log;
  }

  /**
   * Create the queue and hand over its messages, in the order of each group.
   * @param handle gets the orders of a message and the milliseconds that it waited; must not throw
   */
  async open(handle: (orders: readonly RelayOrder[], waitedMilliseconds: number) => void): Promise<void> {
    await this.#sqs.send(new CreateQueueCommand({ QueueName: this.#name, Attributes: attributes }));
    this.#receiving = Promise.all(Array.from({ length: receivers }, () => this.#receiveAll(handle)));
  }

  /** Delete the queue and its remaining messages. */
  async remove(): Promise<void> {
    this.#stopping.abort();
    await this.#receiving;
    await deleteQueue(this.#sqs, this.#url);
    this.#sqs.destroy();
  }

  async #receiveAll(handle: Parameters<RelayInbox["open"]>[0]): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const messages = await this.#receive();
        for (const message of messages) this.#handle(message, handle);
        // Until they are deleted, the queue delays the rest of their groups.
        if (messages.length > 0) await this.#delete(messages);
      } catch (error) {
        if (signal.aborted) return;
        this.#log.error("relay-queue-failed", { error: error as Error });
        await delay(pauseAfterFailureMilliseconds, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #receive(): Promise<Message[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: this.#url,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: longPollSeconds,
      MessageSystemAttributeNames: ["SentTimestamp"],
    });
    const { Messages = [] } = await this.#sqs.send(command, { abortSignal: this.#stopping.signal });
    return Messages;
  }

  #handle(
    { MessageId = "", Body = "", Attributes }: Message,
    handle: Parameters<RelayInbox["open"]>[0],
  ): void {
    if (this.#seen.has(MessageId)) return;
    this.#seen.add(MessageId);
    const [oldest = ""] = this.#seen;
    if (this.#seen.size > remembered) this.#seen.delete(oldest);
    try {
      const { orders } = relayMessage.parse(JSON.parse(Body));
      handle(orders, Math.max(0, Date.now() - Number(Attributes?.SentTimestamp)));
    } catch (error) {
      this.#log.error("relay-orders-unreadable", { sqsMessageId: MessageId, error: error as Error });
    }
  }

  async #delete(messages: readonly Message[]): Promise<void> {
    const entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await this.#sqs.send(new DeleteMessageBatchCommand({ QueueUrl: this.#url, Entries: entries }));
  }
}

/** Delete a queue; a missing one is no error. */
export async function deleteQueue(sqs: SQSClient, url: string): Promise<void> {
  try {
    await sqs.send(new DeleteQueueCommand({ QueueUrl: url }));
  } catch (error) {
    if (!(error instanceof QueueDoesNotExist)) throw error;
  }
}
