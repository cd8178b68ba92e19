import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { batchRead } from "../data/batch-read.ts";
import { onConditionFailed, transact } from "../data/conditions.ts";
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
import { type QueueName, queues } from "./queues.ts";

/** The workers' side of the outbox. Access patterns: by key; by shard in order of age. */
export class OutboxWorker {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.#tableName = config.tableName("outbox");
    this.#clock = clock;
  }

  /**
   * Take a message in hand, so that a second copy of it in the queue is not handled at the same time. Undefined when
   * it has been handled, or another worker has it.
   */
  async lease(key: OutboxKey, seconds: number): Promise<OutboxItem | undefined> {
    const now = this.#clock();
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: key,
      UpdateExpression: "SET leasedUntil = :until, deliveries = deliveries + :one",
      ConditionExpression:
        "attribute_exists(messageId) AND (attribute_not_exists(leasedUntil) OR leasedUntil <= :now)",
      ExpressionAttributeValues: { ":until": now + seconds * 1000, ":now": now, ":one": 1 },
      ReturnValues: "ALL_NEW",
    });
    const result = await onConditionFailed(this.#client.send(update), () => undefined);
    return result?.Attributes && this.#withPayload(storedMessage.parse(result.Attributes));
  }

  /** Give a message back after a failure, so that the queue's next attempt finds it free. */
  async release({ shard, messageId }: OutboxKey): Promise<void> {
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: { shard, messageId },
      UpdateExpression: "REMOVE leasedUntil",
      ConditionExpression: "attribute_exists(messageId)",
    });
    await onConditionFailed(this.#client.send(update), () => undefined);
  }

  /** The message has been handled: copies of it that are still under way find nothing. */
  async complete({ shard, messageId, parts }: OutboxKey & Pick<OutboxItem, "parts">): Promise<void> {
    const remove = (Key: OutboxKey) => ({ TableName: this.#tableName, Key });
    if (parts === undefined) {
      await this.#client.send(new DeleteCommand(remove({ shard, messageId })));
    } else {
      const keys = [{ shard, messageId }, ...partKeys({ messageId, parts })];
      await transact(
        this.#client,
        keys.map((key) => ({ item: { Delete: remove(key) } })),
      );
    }
  }

  /** Messages of a group up to and with the one named, in order; those given up after `maxDeliveries` are left out. */
  async *pendingOfGroup({ shard, messageId, group }: GroupNudge): AsyncGenerator<OutboxItem> {
    for await (const item of this.#olderThan(shard, `${messageId}~`)) {
      if (item.group !== group || item.deliveries >= maxDeliveries) continue;
      const message = await this.#withPayload(item);
      if (message !== undefined) yield message;
    }
  }

  /** Note a failed delivery. */
  async noteFailure({ shard, messageId }: OutboxKey): Promise<void> {
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: { shard, messageId },
      UpdateExpression: "SET deliveries = deliveries + :one",
      ConditionExpression: "attribute_exists(messageId)",
      ExpressionAttributeValues: { ":one": 1 },
    });
    await onConditionFailed(this.#client.send(update), () => undefined);
  }

  /** Messages of a queue committed at least `ageSeconds` ago that nobody has in hand, oldest first within a shard. */
  async *overdue(queue: QueueName, ageSeconds: number): AsyncGenerator<StoredMessage> {
    const now = this.#clock();
    const before = new Date(now - ageSeconds * 1000).toISOString();
    for (let shard = 0; shard < queues[queue].outboxShards; shard++) {
      for await (const item of this.#olderThan(shardName(queue, shard), before)) {
        const isInHand = item.leasedUntil !== undefined && item.leasedUntil > now;
        if (!isInHand && item.deliveries < maxDeliveries) yield item;
      }
    }
  }

  /** Undefined when another worker has completed it meanwhile. */
  async #withPayload(message: StoredMessage): Promise<OutboxItem | undefined> {
    const text = message.payload ?? (await this.#readParts(message));
    return text === undefined ? undefined : { ...message, payload: parseExactJson(text) };
  }

  async #readParts(message: StoredMessage): Promise<string | undefined> {
    const keys = partKeys(message);
    const found = await batchRead(this.#client, [{ tableName: this.#tableName, keys }]);
    const texts = keys.map(({ messageId }) => found.find((part) => part.messageId === messageId)?.text);
    return texts.includes(undefined) ? undefined : texts.join("");
  }

  async *#olderThan(shard: string, before: string): AsyncGenerator<StoredMessage> {
    let startKey: Record<string, unknown> | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: "#shard = :shard AND messageId < :before",
          ExpressionAttributeNames: { "#shard": "shard" },
          ExpressionAttributeValues: { ":shard": shard, ":before": before },
          ConsistentRead: true,
          ExclusiveStartKey: startKey,
        }),
      );
      for (const item of page.Items ?? []) yield storedMessage.parse(item);
      startKey = page.LastEvaluatedKey;
    } while (startKey !== undefined);
  }
}
