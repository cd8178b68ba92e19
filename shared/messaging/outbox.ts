import { randomInt, randomUUID } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type Clock, toSeconds } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Write } from "../data/conditions.ts";
import type { Log } from "../log.ts";
import { type OutboxKey, shardsPerQueue } from "./outbox-item.ts";
import type { QueueName } from "./queues.ts";

/** How long an unhandled message is kept as evidence when even the sweeper could not get it handled. */
const keepSeconds = 14 * 86_400;

/**
 * Messages that leave exactly when a change is committed: `write` joins the change's transaction, `send` follows the
 * commit. When the function dies between the two, the sweeper sends.
 */
export class Outbox {
  readonly #tableName: string;
  readonly #queueUrl: (queue: QueueName) => string;
  readonly #sqs = new SQSClient();
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(config: Config, clock: Clock, log: Log) {
    this.#tableName = config.tableName("outbox");
    this.#queueUrl = config.queueUrl;
    this.#clock = clock;
    this.#log = log;
  }

  /** A message for the worker of a queue, and the write that commits it. */
  stage(queue: QueueName, payload: object): { write: Write; send: () => Promise<void> } {
    const now = this.#clock();
    const key: OutboxKey = {
      shard: `${queue}#${randomInt(shardsPerQueue)}`,
      messageId: `${new Date(now).toISOString()}#${randomUUID()}`,
    };
    const item = { ...key, payload, deliveries: 0, purgeAtSeconds: toSeconds(now) + keepSeconds };
    return {
      write: { item: { Put: { TableName: this.#tableName, Item: item } } },
      send: () => this.#send(queue, key),
    };
  }

  /** A failure here delays the message until the sweeper finds it, and loses nothing. */
  async #send(queue: QueueName, key: OutboxKey): Promise<void> {
    try {
      await this.#sqs.send(
        new SendMessageCommand({ QueueUrl: this.#queueUrl(queue), MessageBody: JSON.stringify(key) }),
      );
    } catch (error) {
      this.#log.warn("outbox-send-failed", { ...key, error: error as Error });
    }
  }
}
