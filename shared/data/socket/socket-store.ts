import { randomUUID } from "node:crypto";
import { type DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { type Clock, toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { onConditionFailed, transact, type Write } from "../conditions.ts";
import { type DeviceQueue, deviceQueueItem, type Socket, socketItem } from "./socket.ts";

/** API Gateway ends every socket after two hours; its record goes a little later at the latest. */
const socketLifetimeSeconds = 2 * 3600 + 600;

const userKey = (userId: string) => `user#${userId}`;
const socketKey = ({ userId, socketId }: Pick<Socket, "userId" | "socketId">) => ({
  owner: userKey(userId),
  entry: `socket#${socketId}`,
});
const queueKey = (userId: string, clientId: string) => ({
  owner: userKey(userId),
  entry: `queue#${clientId}`,
});
const lookupKey = (socketId: string) => ({ owner: `socket#${socketId}`, entry: "owner" });

/** Sockets and device queues. Access patterns: all of a user; a socket by its id; a device queue. */
export class SocketStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.#tableName = config.tableName("sockets");
    this.#clock = clock;
  }

  async open(socket: Socket): Promise<void> {
    const purgeAtSeconds = toSeconds(this.#clock()) + socketLifetimeSeconds;
    const put = (item: object) => ({
      item: { Put: { TableName: this.#tableName, Item: { ...item, purgeAtSeconds } } },
    });
    await transact(this.#client, [
      put({ ...socketKey(socket), ...socket }),
      put({ ...lookupKey(socket.socketId), userId: socket.userId }),
    ]);
  }

  /** The socket with this id, when it is still open as far as is known. */
  async get(socketId: string): Promise<Socket | undefined> {
    const { Item: lookup } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: lookupKey(socketId), ConsistentRead: true }),
    );
    return lookup && this.reread({ socketId, userId: String(lookup.userId) });
  }

  /** What is known of a socket by now; undefined when it is gone. */
  async reread(socket: Pick<Socket, "userId" | "socketId">): Promise<Socket | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: socketKey(socket), ConsistentRead: true }),
    );
    return Item && socketItem.parse(Item);
  }

  async remove(socket: Socket): Promise<void> {
    const remove = (Key: Record<string, string>) => ({
      item: { Delete: { TableName: this.#tableName, Key } },
    });
    await transact(this.#client, [remove(socketKey(socket)), remove(lookupKey(socket.socketId))]);
  }

  /** Open sockets and device queues of a user, in one read. */
  async ofUser(userId: string): Promise<{ sockets: Socket[]; queues: DeviceQueue[] }> {
    const sockets: Socket[] = [];
    const queues: DeviceQueue[] = [];
    let startKey: Record<string, unknown> | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: "#owner = :owner",
          ExpressionAttributeNames: { "#owner": "owner" },
          ExpressionAttributeValues: { ":owner": userKey(userId) },
          ConsistentRead: true,
          ExclusiveStartKey: startKey,
        }),
      );
      for (const item of page.Items ?? []) {
        if (String(item.entry).startsWith("queue#")) queues.push(deviceQueueItem.parse(item));
        else sockets.push(socketItem.parse(item));
      }
      startKey = page.LastEvaluatedKey;
    } while (startKey !== undefined);
    return { sockets, queues };
  }

  /** Make a device's queue, empty; one that exists stays as it is. */
  async createQueue(userId: string, clientId: string): Promise<void> {
    await this.#client.send(new UpdateCommand(this.#queueCreation(userId, clientId, 0)));
  }

  /**
   * The same in a transaction.
   * @param endOfStream position up to which the device's stream holds what an earlier queue has left
   */
  queueCreation(userId: string, clientId: string, endOfStream: number): Write {
    return { item: { Update: this.#queueCreation(userId, clientId, endOfStream) } };
  }

  /** Its events expire by themselves. */
  queueRemoval(userId: string, clientId: string): Write {
    return { item: { Delete: { TableName: this.#tableName, Key: queueKey(userId, clientId) } } };
  }

  async getQueue(userId: string, clientId: string): Promise<DeviceQueue | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: queueKey(userId, clientId), ConsistentRead: true }),
    );
    return Item && deviceQueueItem.parse(Item);
  }

  /** Note facts about a queue that exists. */
  updateQueue(userId: string, clientId: string, facts: Partial<DeviceQueue>): Promise<boolean> {
    return this.#set(queueKey(userId, clientId), facts, "attribute_exists(entry)");
  }

  /** Make a socket the one that gets the queue; false when another one has it. */
  async activate({ userId, clientId, socketId }: Socket): Promise<boolean> {
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: queueKey(userId, clientId ?? ""),
      UpdateExpression: "SET activeSocketId = :socket",
      ConditionExpression:
        "attribute_exists(entry) AND (attribute_not_exists(activeSocketId) OR activeSocketId = :socket)",
      ExpressionAttributeValues: { ":socket": socketId },
    });
    return succeeds(this.#client.send(update));
  }

  /** Leave the queue to another socket; false when this one does not have it. */
  async deactivate({
    userId,
    clientId,
    socketId,
  }: Pick<Socket, "userId" | "clientId" | "socketId">): Promise<boolean> {
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: queueKey(userId, clientId ?? ""),
      UpdateExpression: "SET lastSeenAt = :now REMOVE activeSocketId",
      ConditionExpression: "activeSocketId = :socket",
      ExpressionAttributeValues: { ":socket": socketId, ":now": this.#clock() },
    });
    return succeeds(this.#client.send(update));
  }

  /** Take a socket in hand; undefined while somebody else has it, or when it is gone. */
  async lease(socket: Socket, milliseconds: number): Promise<Socket | undefined> {
    const now = this.#clock();
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: socketKey(socket),
      UpdateExpression: "SET leaseId = :lease, leasedUntil = :until",
      // The SDK may repeat a call whose answer got lost: then the lease is this one already.
      ConditionExpression:
        "attribute_exists(entry) AND (attribute_not_exists(leaseId) OR leaseId = :lease OR leasedUntil <= :now)",
      ExpressionAttributeValues: { ":lease": randomUUID(), ":until": now + milliseconds, ":now": now },
      ReturnValues: "ALL_NEW",
    });
    const result = await onConditionFailed(this.#client.send(update), () => undefined);
    return result?.Attributes && socketItem.parse(result.Attributes);
  }

  /** Note what was done with a socket in hand, and let go of it; false when somebody else has taken it meanwhile. */
  release(socket: Socket, facts: Partial<Socket>): Promise<boolean> {
    const { leaseId = "" } = socket;
    return this.#set(socketKey(socket), { ...facts, leasedUntil: 0 }, "leaseId = :lease", {
      ":lease": leaseId,
    });
  }

  updateSocket(socket: Socket, facts: Partial<Socket>): Promise<boolean> {
    return this.#set(socketKey(socket), facts, "attribute_exists(entry)");
  }

  /** Number of the next delivery over a socket without a device; undefined when the socket is gone. */
  async countDelivery(socket: Socket): Promise<number | undefined> {
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: socketKey(socket),
      UpdateExpression: "ADD deliveries :one",
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeValues: { ":one": 1 },
      ReturnValues: "UPDATED_NEW",
    });
    const result = await onConditionFailed(this.#client.send(update), () => undefined);
    return result?.Attributes?.deliveries as number | undefined;
  }

  #queueCreation(userId: string, clientId: string, acknowledgedUpTo: number) {
    const queue: DeviceQueue = { clientId, lastSeenAt: this.#clock(), acknowledgedUpTo, hasMissed: false };
    const names = Object.keys(queue);
    return {
      TableName: this.#tableName,
      Key: queueKey(userId, clientId),
      UpdateExpression: `SET ${names.map((name) => `${name} = if_not_exists(${name}, :${name})`).join(", ")}`,
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(queue).map(([name, value]) => [`:${name}`, value]),
      ),
    };
  }

  #set(
    key: Record<string, string>,
    facts: object,
    condition: string,
    conditionValues: Record<string, unknown> = {},
  ): Promise<boolean> {
    const entries = Object.entries(facts);
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: key,
      UpdateExpression: `SET ${entries.map((_, index) => `#f${index} = :f${index}`).join(", ")}`,
      ConditionExpression: condition,
      ExpressionAttributeNames: Object.fromEntries(entries.map(([name], index) => [`#f${index}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(entries.map(([, value], index) => [`:f${index}`, value])),
        ...conditionValues,
      },
    });
    return succeeds(this.#client.send(update));
  }
}

const succeeds = (sending: Promise<unknown>): Promise<boolean> =>
  onConditionFailed(
    sending.then(() => true),
    () => false,
  );
