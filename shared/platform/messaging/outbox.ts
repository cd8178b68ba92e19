import { randomUUID } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { nudgeQueueOf, type QueueName } from "#shared/registry/queues.ts";
import { awsClientOptions } from "../aws-client-options.ts";
import { type Clock, toSeconds } from "../clock.ts";
import type { Config } from "../config.ts";
import { StaleReadError, type Write } from "../data/conditions.ts";
import { splitText } from "../data/split-text.ts";
import type { Log } from "../log.ts";
import { keepSeconds, laneOf, nudgeGroupOf, type OutboxKey, partKeys } from "./outbox-item.ts";

/** An outgoing message: `writes` join the transaction that causes it, `send` follows the commit. */
export interface OutboxMessage {
  readonly writes: readonly Write[];
  readonly send: () => Promise<void>;
}

/** A message that can be taken back. */
export interface RevocableMessage extends OutboxMessage {
  /** Takes back a message of one item. Rejected as `StaleReadError` when a worker has it, or had it. */
  readonly revoke: Write;
}

interface OutboxContext {
  readonly config: Pick<Config, "tableName" | "queueUrl">;
  readonly clock: Clock;
  readonly log: Log;
}

interface Options {
  /** Messages of one group keep their order in a FIFO queue. */
  readonly group?: string;
  /** Place of a message among those of its group, in unix milliseconds; by default now. */
  readonly time?: number;
  /** Whether only the sweeper sends it, a minute later, unless it has been revoked by then. */
  readonly isHeld?: boolean;
}

/**
 * Messages that are sent if, and only if, a change is committed. When the function dies between the commit and the
 * send, the sweeper sends them.
 */
export class Outbox {
  readonly #tableName: string;
  readonly #queueUrl: (queue: QueueName) => string;
  readonly #sqs = new SQSClient(awsClientOptions());
  readonly #clock: Clock;
  readonly #log: Log;
  /** Keeps messages of one millisecond in the order in which they were enqueued. */
  #sequence = 0;

  constructor({ config, clock, log }: OutboxContext) {
    this.#tableName = config.tableName("outbox");
    this.#queueUrl = config.queueUrl;
    this.#clock = clock;
    this.#log = log;
  }

  /** Creates a message of up to 1 MB. */
  message(
    queue: QueueName,
    payload: object,
    { group, time, isHeld = false }: Options = {},
  ): RevocableMessage {
    const now = this.#clock();
    const order = String(this.#sequence++ % 1_000_000).padStart(6, "0");
    const messageId = `${new Date(time ?? now).toISOString()}#${order}#${randomUUID()}`;
    const key: OutboxKey = { lane: laneOf(queue, group ?? messageId), messageId };
    const put = (item: object): Write => ({
      item: {
        Put: {
          TableName: this.#tableName,
          Item: { ...item, purgeAtSeconds: toSeconds(now) + keepSeconds },
        },
      },
    });
    const texts = splitText(JSON.stringify(payload));
    const isLarge = texts.length > 1;
    const content = isLarge ? { parts: texts.length } : { payload: texts[0] };
    const parts = isLarge ? partKeys({ ...key, ...content }) : [];
    return {
      writes: [
        put({ ...key, ...content, deliveries: 0 }),
        ...parts.map((partKey, part) => put({ ...partKey, text: texts[part] })),
      ],
      send: async () => {
        if (!isHeld) await this.#send(queue, key, group);
      },
      revoke: {
        item: {
          Delete: {
            TableName: this.#tableName,
            Key: key,
            ConditionExpression: "deliveries = :none",
            ExpressionAttributeValues: { ":none": 0 },
          },
        },
        onRejected: () => new StaleReadError(`message ${messageId}`),
      },
    };
  }

  /** A failure here delays the message until the sweeper finds it, and loses nothing. */
  async #send(queue: QueueName, key: OutboxKey, group: string | undefined): Promise<void> {
    try {
      await this.#sqs.send(
        new SendMessageCommand({
          QueueUrl: this.#queueUrl(nudgeQueueOf(queue)),
          MessageBody: JSON.stringify(key),
          ...(group !== undefined && {
            MessageGroupId: nudgeGroupOf(queue, group),
            MessageDeduplicationId: key.messageId,
          }),
        }),
      );
    } catch (error) {
      this.#log.warn("outbox-send-failed", { ...key, error: error as Error });
    }
  }
}
