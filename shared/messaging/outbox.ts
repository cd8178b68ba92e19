import { createHash, randomInt, randomUUID } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type Clock, toSeconds } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Write } from "../data/conditions.ts";
import { splitText } from "../data/split-text.ts";
import type { Log } from "../log.ts";
import { type OutboxKey, partKeys, shardName } from "./outbox-item.ts";
import { type QueueName, queues } from "./queues.ts";

/** How long an unhandled message is kept as evidence when even the sweeper could not get it handled. */
const keepSeconds = 14 * 86_400;

/** A message on its way out: `write` joins the transaction that causes it, `send` follows the commit. */
export interface StagedMessage {
  readonly write: Write;
  readonly send: () => Promise<void>;
}

interface Options {
  /** Within which a FIFO queue keeps the order. */
  readonly group?: string;
}

/**
 * Messages that leave exactly when a change is committed. When the function dies between the commit and the send, the
 * sweeper sends.
 */
export class Outbox {
  readonly #tableName: string;
  readonly #queueUrl: (queue: QueueName) => string;
  readonly #sqs = new SQSClient();
  readonly #clock: Clock;
  readonly #log: Log;
  /** Keeps messages of one millisecond in the order in which they were staged. */
  #sequence = 0;

  constructor(config: Config, clock: Clock, log: Log) {
    this.#tableName = config.tableName("outbox");
    this.#queueUrl = config.queueUrl;
    this.#clock = clock;
    this.#log = log;
  }

  /** A message whose payload fits into one item, as all do that hold no text of users. */
  stage(queue: QueueName, payload: object, options: Options = {}): StagedMessage {
    const [message, ...parts] = this.stageLarge(queue, payload, options);
    if (message === undefined || parts.length > 0) throw new Error(`Too large for the queue ${queue}`);
    return message;
  }

  /** A message of up to 1 MB: all that is returned belongs into one transaction. */
  stageLarge(queue: QueueName, payload: object, { group }: Options = {}): StagedMessage[] {
    const now = this.#clock();
    const order = String(this.#sequence++ % 1_000_000).padStart(6, "0");
    const key: OutboxKey = {
      shard: shardName(queue, shardOf(queue, group)),
      messageId: `${new Date(now).toISOString()}#${order}#${randomUUID()}`,
    };
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
    return [
      { write: put({ ...key, group, ...content, deliveries: 0 }), send: () => this.#send(queue, key, group) },
      ...parts.map((partKey, part) => ({
        write: put({ ...partKey, text: texts[part] }),
        send: async () => {},
      })),
    ];
  }

  /** A failure here delays the message until the sweeper finds it, and loses nothing. */
  async #send(queue: QueueName, key: OutboxKey, group: string | undefined): Promise<void> {
    try {
      await this.#sqs.send(
        new SendMessageCommand({
          QueueUrl: this.#queueUrl(queue),
          MessageBody: JSON.stringify({ ...key, group }),
          ...(group !== undefined && { MessageGroupId: group, MessageDeduplicationId: key.messageId }),
        }),
      );
    } catch (error) {
      this.#log.warn("outbox-send-failed", { ...key, error: error as Error });
    }
  }
}

/** A group stays in one shard, where its order can be read. */
function shardOf(queue: QueueName, group: string | undefined): number {
  const { outboxShards } = queues[queue];
  return group === undefined
    ? randomInt(outboxShards)
    : createHash("sha256").update(group).digest().readUInt32BE() % outboxShards;
}
