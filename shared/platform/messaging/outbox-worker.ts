import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import type { Clock } from "../clock.ts";
import { onConditionFailed, transact } from "../data/conditions.ts";
import type { StoreContext } from "../data/store-context.ts";
import { Table } from "../data/table.ts";
import { parseExactJson } from "../exact-json.ts";
import {
  type GroupNudge,
  maxDeliveries,
  type OutboxItem,
  type OutboxKey,
  partKeys,
  type StoredMessage,
  shardName,
  storedMessage,
} from "./outbox-item.ts";

/** The workers' side of the outbox. Access patterns: by key; by shard in order of age. */
export class OutboxWorker {
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #table: Table<"outbox">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#dynamo = context.dynamo;
    this.#table = new Table(context, "outbox");
    this.#clock = context.clock;
  }

  /**
   * Lease a message, so that a second copy of it in the queue is not handled at the same time. Returns undefined when
   * it has been handled or another worker has leased it.
   */
  async lease(key: OutboxKey, seconds: number): Promise<OutboxItem | undefined> {
    const now = this.#clock();
    const update = this.#table.update(key, {
      UpdateExpression: "SET leasedUntil = :until, deliveries = deliveries + :one",
      ConditionExpression:
        "attribute_exists(messageId) AND (attribute_not_exists(leasedUntil) OR leasedUntil <= :now)",
      ExpressionAttributeValues: { ":until": now + seconds * 1000, ":now": now, ":one": 1 },
      ReturnValues: "ALL_NEW",
    });
    const item = await onConditionFailed(update, () => undefined);
    return item && this.#withPayload(storedMessage.parse(item));
  }

  /** Extend a lease. */
  async renew({ shard, messageId }: OutboxKey, seconds: number): Promise<void> {
    const update = this.#table.update(
      { shard, messageId },
      {
        UpdateExpression: "SET leasedUntil = :until",
        ConditionExpression: "attribute_exists(messageId)",
        ExpressionAttributeValues: { ":until": this.#clock() + seconds * 1000 },
      },
    );
    await onConditionFailed(update, () => undefined);
  }

  /** End a lease after a failure, so that the queue's next attempt finds the message free. */
  async release({ shard, messageId }: OutboxKey): Promise<void> {
    const update = this.#table.update(
      { shard, messageId },
      { UpdateExpression: "REMOVE leasedUntil", ConditionExpression: "attribute_exists(messageId)" },
    );
    await onConditionFailed(update, () => undefined);
  }

  /** Delete a message that has been handled: copies that are still in the queue find nothing. */
  async complete({ shard, messageId, parts }: OutboxKey & Pick<OutboxItem, "parts">): Promise<void> {
    if (parts === undefined) {
      await this.#table.delete({ shard, messageId });
    } else {
      const keys = [{ shard, messageId }, ...partKeys({ messageId, parts })];
      await transact(
        this.#dynamo,
        keys.map((key) => this.#table.deleteWrite(key)),
      );
    }
  }

  /** Messages of a group, in order, up to and including the one named, without those given up after `maxDeliveries`. */
  async *pendingOfGroup({ shard, messageId, group }: GroupNudge): AsyncGenerator<OutboxItem> {
    for await (const item of this.#olderThan(shard, `${messageId}~`)) {
      if (item.group !== group || item.deliveries >= maxDeliveries) continue;
      const message = await this.#withPayload(item);
      if (message !== undefined) yield message;
    }
  }

  /** Count a failed delivery. */
  async noteFailure({ shard, messageId }: OutboxKey): Promise<void> {
    const update = this.#table.update(
      { shard, messageId },
      {
        UpdateExpression: "SET deliveries = deliveries + :one",
        ConditionExpression: "attribute_exists(messageId)",
        ExpressionAttributeValues: { ":one": 1 },
      },
    );
    await onConditionFailed(update, () => undefined);
  }

  /** Messages of a queue committed at least `ageSeconds` ago that nobody has leased, oldest first within a shard. */
  async *overdue(queue: QueueName, ageSeconds: number): AsyncGenerator<StoredMessage> {
    const now = this.#clock();
    const before = new Date(now - ageSeconds * 1000).toISOString();
    for (let shard = 0; shard < queues[queue].outboxShards; shard++) {
      for await (const item of this.#olderThan(shardName(queue, shard), before)) {
        const isLeased = item.leasedUntil !== undefined && item.leasedUntil > now;
        if (!isLeased && item.deliveries < maxDeliveries) yield item;
      }
    }
  }

  /** Returns undefined when another worker has completed the message in the meantime. */
  async #withPayload(message: StoredMessage): Promise<OutboxItem | undefined> {
    const text = message.payload ?? (await this.#readParts(message));
    return text === undefined ? undefined : { ...message, payload: parseExactJson(text) };
  }

  async #readParts(message: StoredMessage): Promise<string | undefined> {
    const keys = partKeys(message);
    const found = await this.#table.getMany(keys);
    const texts = keys.map(({ messageId }) => found.find((part) => part.messageId === messageId)?.text);
    return texts.includes(undefined) ? undefined : texts.join("");
  }

  async *#olderThan(shard: string, before: string): AsyncGenerator<StoredMessage> {
    const items = this.#table.query(shard, {
      range: "messageId < :before",
      ExpressionAttributeValues: { ":before": before },
    });
    for await (const item of items) yield storedMessage.parse(item);
  }
}
