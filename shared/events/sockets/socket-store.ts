import { randomUUID } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { onConditionFailed, succeeds, transact, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { type Item, type Key, Table } from "#shared/platform/data/table.ts";
import type { Notification } from "../notification.ts";
import { type PushToken, pushTokensEntry, pushTokensItem } from "../push/push-token.ts";
import {
  type DeviceQueue,
  deviceQueueItem,
  isListed,
  parseListed,
  type Refusal,
  refusalItem,
  type Socket,
  socketItem,
  socketListItem,
  socketRecordSeconds,
  toListed,
} from "./socket.ts";

/** Up to this number of users, reading their marks before their sockets would only add a round trip and read units. */
const fewUsers = 2;
/** Maximum number of sockets in the list of a user, so that it takes one read unit. */
const maxListed = 24;

/** Everything through which events reach a user. */
export interface Reach {
  readonly sockets: readonly Socket[];
  readonly queues: readonly DeviceQueue[];
  readonly pushTokens: readonly PushToken[];
}

/** The list of a user's sockets is full, or it was written by a version that listed none. */
class CannotListError extends Error {
  override readonly name = "CannotListError";
}

/** Partition of everything through which a user is reached. */
const userKey = (userId: string) => `user#${userId}`;
const socketKey = ({ userId, socketId }: Pick<Socket, "userId" | "socketId">) => ({
  owner: userKey(userId),
  entry: `socket#${socketId}`,
});
const queuePrefix = "queue#";
const queueKey = (userId: string, clientId: string) => ({
  owner: userKey(userId),
  entry: `${queuePrefix}${clientId}`,
});
/**
 * Marks that a user has, or has had, device queues or push tokens. Creating a queue replaces the mark, including its
 * part about push tokens.
 */
export const deviceMarkerKey = (userId: string) => ({ owner: userKey(userId), entry: "has-devices" });
const deviceMarker = storedItem(
  { table: "sockets", kind: "device-marker", key: ["user#*", "has-devices"], subject: { user: "partition" } },
  storedObject({ hasOnlyTokens: z.literal(true).optional() }),
);
/** Marks of the users with sockets, queues or push tokens: most users have none and need no look-up. */
const markerKeys = (userId: string) => ({
  sockets: { owner: userKey(userId), entry: "has-sockets" },
  devices: deviceMarkerKey(userId),
});
export const pushTokensKey = (userId: string) => ({ owner: userKey(userId), entry: pushTokensEntry });
const lookupKey = (socketId: string) => ({ owner: `socket#${socketId}`, entry: "owner" });

declareItem(
  { table: "sockets", kind: "owner", key: ["socket#*", "owner"], subject: { user: ["userId"] } },
  storedObject({ userId: z.uuid() }),
);

/** Sockets and device queues. Access patterns: all of a user, with push tokens; a socket by its id; a device queue. */
export class SocketStore {
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #table: Table<"sockets">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#dynamo = context.dynamo;
    this.#table = new Table(context, "sockets");
    this.#clock = context.clock;
  }

  async open(socket: Socket): Promise<void> {
    const purgeAtSeconds = toSeconds(this.#clock()) + socketRecordSeconds;
    const records = [
      this.#table.putWrite({ ...socketKey(socket), ...socket, purgeAtSeconds }),
      this.#table.putWrite({ ...lookupKey(socket.socketId), userId: socket.userId, purgeAtSeconds }),
    ];
    if (!isListed(socket)) return transact(this.#dynamo, records);
    try {
      await transact(this.#dynamo, [...records, this.#listing(socket, purgeAtSeconds)]);
    } catch (error) {
      if (!(error instanceof CannotListError)) throw error;
      await transact(this.#dynamo, [...records, this.#listRenewal(socket, purgeAtSeconds)]);
    }
  }

  /** Adds a socket to the list of its user, if the list exists and has room. */
  #listing(socket: Socket, purgeAtSeconds: number): Write {
    return this.#table.updateWrite(markerKeys(socket.userId).sockets, {
      UpdateExpression:
        "SET purgeAtSeconds = :purge, incompleteUntil = if_not_exists(incompleteUntil, :complete) ADD sockets :sockets",
      ConditionExpression:
        "attribute_not_exists(entry) OR (attribute_exists(incompleteUntil) AND (attribute_not_exists(sockets) OR size(sockets) < :max))",
      ExpressionAttributeValues: {
        ":purge": purgeAtSeconds,
        ":complete": 0,
        ":sockets": new Set([toListed(socket)]),
        ":max": maxListed,
      },
      onRejected: () => new CannotListError(),
    });
  }

  /** Begins the list of a user again, without the present sockets. */
  #listRenewal({ userId }: Socket, purgeAtSeconds: number): Write {
    return this.#table.putWrite({
      ...markerKeys(userId).sockets,
      purgeAtSeconds,
      incompleteUntil: purgeAtSeconds,
    });
  }

  /** The socket with this id; undefined when it has closed, as far as is known. */
  async get(socketId: string): Promise<Socket | undefined> {
    const lookup = await this.#table.get(lookupKey(socketId));
    return lookup && this.reread({ socketId, userId: String(lookup.userId) });
  }

  /** Read a socket again; undefined when it is gone. */
  async reread(socket: Pick<Socket, "userId" | "socketId">): Promise<Socket | undefined> {
    const item = await this.#table.get(socketKey(socket));
    return item && socketItem.parse(item);
  }

  async remove(socket: Socket): Promise<void> {
    const removal = transact(this.#dynamo, [
      this.#table.deleteWrite(socketKey(socket)),
      this.#table.deleteWrite(lookupKey(socket.socketId)),
    ]);
    await Promise.all([removal, isListed(socket) && this.#unlist(socket)]);
  }

  /**
   * Not in a transaction: many sockets of a user may close at the same moment. When it fails, the next event for the user
   * finds that the socket is gone, and removes it again.
   */
  async #unlist(socket: Socket): Promise<void> {
    const listed = toListed(socket);
    const update = this.#table.update(markerKeys(socket.userId).sockets, {
      UpdateExpression: "DELETE sockets :sockets",
      ConditionExpression: "contains(sockets, :listed)",
      ExpressionAttributeValues: { ":sockets": new Set([listed]), ":listed": listed },
    });
    await succeeds(update).catch(() => undefined);
  }

  /**
   * Everything through which many users are reached, in one read, or two for those with push tokens. Users with nothing
   * are left out. The value is undefined for users for whom more must be read, and for a few users in all: then call
   * `ofUser`.
   *
   * @param wokenIds the users whose push tokens matter
   */
  async reachOf(
    userIds: readonly string[],
    wokenIds: ReadonlySet<string>,
  ): Promise<Map<string, Reach | undefined>> {
    if (userIds.length <= fewUsers) return new Map(userIds.map((userId) => [userId, undefined]));
    const marked = await Promise.all(userIds.map((userId) => this.#readMarkers(userId)));
    const reached = marked
      .filter(({ sockets, devices }) => sockets !== undefined || devices !== undefined)
      .map(async ({ userId, sockets, devices }): Promise<[string, Reach | undefined]> => {
        const open = sockets === undefined ? [] : this.#listed(sockets, userId);
        if (open === undefined) return [userId, undefined];
        if (devices === undefined) return [userId, { sockets: open, queues: [], pushTokens: [] }];
        if (!deviceMarker.parseOrAbsent(devices)?.hasOnlyTokens) return [userId, undefined];
        const pushTokens = wokenIds.has(userId) ? await this.#pushTokensOf(userId) : [];
        return [userId, pushTokens && { sockets: open, queues: [], pushTokens }];
      });
    return new Map(await Promise.all(reached));
  }

  async #readMarkers(userId: string) {
    const keys = markerKeys(userId);
    const [sockets, devices] = await Promise.all([
      this.#table.get(keys.sockets),
      this.#table.get(keys.devices),
    ]);
    return { userId, sockets, devices };
  }

  /** The sockets in a user's list; undefined when there may be others. */
  #listed(item: Item, userId: string): Socket[] | undefined {
    const list = socketListItem.parseOrAbsent(item);
    if (list === undefined || list.incompleteUntil > toSeconds(this.#clock())) return undefined;
    const oldest = this.#clock() - socketRecordSeconds * 1000;
    return parseListed(list.sockets, userId)?.filter(({ openedAt }) => openedAt > oldest);
  }

  async #pushTokensOf(userId: string): Promise<readonly PushToken[] | undefined> {
    const item = await this.#table.get(pushTokensKey(userId));
    return item === undefined ? [] : pushTokensItem.parseOrAbsent(item)?.tokens;
  }

  /** Open sockets, device queues and push tokens of a user, and refusals, in one read. */
  async ofUser(userId: string): Promise<Reach & { readonly refusals: readonly Refusal[] }> {
    const sockets: Socket[] = [];
    const queues: DeviceQueue[] = [];
    const refusals: Refusal[] = [];
    let pushTokens: readonly PushToken[] = [];
    for await (const item of this.#table.query(userKey(userId))) {
      const entry = String(item.entry);
      if (entry.startsWith(queuePrefix)) queues.push(readQueue(item));
      else if (entry.startsWith("socket#")) sockets.push(...present(socketItem.parseOrAbsent(item)));
      else if (entry.startsWith("refusal#")) refusals.push(...present(refusalItem.parseOrAbsent(item)));
      else if (entry === pushTokensEntry) pushTokens = pushTokensItem.parseOrAbsent(item)?.tokens ?? [];
    }
    return { sockets, queues, pushTokens, refusals };
  }

  /** Let a session of a user open no socket for a while; repeating it replaces the time. */
  async refuse(userId: string, refusal: Refusal): Promise<void> {
    const entry = `refusal#${refusal.sessionId ?? ""}`;
    await this.#table.put({
      owner: userKey(userId),
      entry,
      ...refusal,
      purgeAtSeconds: toSeconds(refusal.until) + 1,
    });
  }

  /** Create an empty queue for a device; one that exists stays as it is. */
  async createQueue(userId: string, clientId: string): Promise<void> {
    await transact(this.#dynamo, this.queueCreation(userId, clientId, 0));
  }

  /**
   * Create a queue as `createQueue` does, but in a transaction.
   * @param endOfStream sequence number up to which the device's stream contains events of an earlier queue
   */
  queueCreation(userId: string, clientId: string, endOfStream: number): Write[] {
    return [
      this.#table.updateWrite(queueKey(userId, clientId), this.#queueCreation(clientId, endOfStream)),
      this.#table.putWrite(deviceMarkerKey(userId)),
    ];
  }

  /** Remove a queue; its events simply expire. */
  queueRemoval(userId: string, clientId: string): Write {
    return this.#table.deleteWrite(queueKey(userId, clientId));
  }

  async getQueue(userId: string, clientId: string): Promise<DeviceQueue | undefined> {
    const item = await this.#table.get(queueKey(userId, clientId));
    return item && readQueue(item);
  }

  /** Update fields of a queue; returns false when there is none. */
  updateQueue(userId: string, clientId: string, facts: Partial<DeviceQueue>): Promise<boolean> {
    return this.#set(queueKey(userId, clientId), facts, "attribute_exists(entry)");
  }

  /** Assign the queue to a socket; returns false when another socket has it. */
  activate({ userId, clientId, socketId }: Socket): Promise<boolean> {
    const update = this.#table.update(queueKey(userId, clientId ?? ""), {
      UpdateExpression: "SET activeSocketId = :socket",
      ConditionExpression:
        "attribute_exists(entry) AND (attribute_not_exists(activeSocketId) OR activeSocketId = :socket)",
      ExpressionAttributeValues: { ":socket": socketId },
    });
    return succeeds(update);
  }

  /** Take the queue from a socket, so that another one can have it; returns false when this one does not have it. */
  async deactivate({
    userId,
    clientId,
    socketId,
  }: Pick<Socket, "userId" | "clientId" | "socketId">): Promise<boolean> {
    const updated = await this.#table.updateOnce(queueKey(userId, clientId ?? ""), {
      UpdateExpression: "SET lastSeenAt = :now REMOVE activeSocketId",
      ConditionExpression: "activeSocketId = :socket",
      ExpressionAttributeValues: { ":socket": socketId, ":now": this.#clock() },
    });
    return updated !== undefined;
  }

  /** Lease a socket; returns undefined while somebody else has leased it, or when it is gone. */
  async lease(socket: Socket, milliseconds: number): Promise<Socket | undefined> {
    const now = this.#clock();
    const update = this.#table.update(socketKey(socket), {
      UpdateExpression: "SET leaseId = :lease, leasedUntil = :until, sendingUpTo = :none",
      // The SDK may repeat a call whose response was lost: then this lease is already stored.
      ConditionExpression:
        "attribute_exists(entry) AND (attribute_not_exists(leaseId) OR leaseId = :lease OR leasedUntil <= :now)",
      ExpressionAttributeValues: {
        ":lease": randomUUID(),
        ":until": now + milliseconds,
        ":now": now,
        ":none": 0,
      },
      ReturnValues: "ALL_NEW",
    });
    const item = await onConditionFailed(update, () => undefined);
    return item && socketItem.parse(item);
  }

  /** Extend a lease; returns false when somebody else has leased the socket in the meantime. */
  renew(socket: Socket, milliseconds: number): Promise<boolean> {
    const { leaseId = "" } = socket;
    return this.#set(socketKey(socket), { leasedUntil: this.#clock() + milliseconds }, "leaseId = :lease", {
      ":lease": leaseId,
    });
  }

  /**
   * Note the last event that the holder of a lease is about to send; returns false when somebody else has leased the
   * socket.
   */
  noteSending(socket: Socket, sendingUpTo: number): Promise<boolean> {
    const { leaseId = "" } = socket;
    return this.#set(socketKey(socket), { sendingUpTo }, "leaseId = :lease", { ":lease": leaseId });
  }

  /** Update a leased socket and end the lease; returns false when somebody else has leased it in the meantime. */
  release(socket: Socket, facts: Partial<Socket>): Promise<boolean> {
    const { leaseId = "" } = socket;
    const released = { ...facts, leasedUntil: 0, sendingUpTo: undefined };
    return this.#set(socketKey(socket), released, "leaseId = :lease", { ":lease": leaseId });
  }

  /**
   * Claim the entry after the last one sent, without a lease, so that nobody else sends it.
   * @returns the socket afterwards; undefined when somebody has leased it or was faster, or nothing may be sent
   */
  async claimNext(
    socket: Socket,
    { position, id }: Pick<Notification, "position" | "id">,
  ): Promise<Socket | undefined> {
    const item = await this.#table.updateOnce(socketKey(socket), {
      UpdateExpression: "SET sentUpTo = :position, sentId = :id",
      // Not even after a lease has expired, because its holder may still release it and so undo this.
      ConditionExpression:
        "sentUpTo = :before AND awaitsFullSync = :false AND (attribute_not_exists(leaseId) OR leasedUntil = :released)",
      ExpressionAttributeValues: {
        ":position": position,
        ":id": id,
        ":before": position - 1,
        ":false": false,
        ":released": 0,
      },
    });
    return item && socketItem.parse(item);
  }

  /**
   * Record that everything sent over a socket before an entry is acknowledged.
   * @returns the socket afterwards; undefined when it is gone
   */
  async noteAcknowledged(socket: Socket, firstUnacknowledged: number): Promise<Socket | undefined> {
    const update = this.#table.update(socketKey(socket), {
      UpdateExpression: "SET firstUnacknowledged = :first",
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeValues: { ":first": firstUnacknowledged },
      ReturnValues: "ALL_NEW",
    });
    const item = await onConditionFailed(update, () => undefined);
    return item && socketItem.parse(item);
  }

  updateSocket(socket: Socket, facts: Partial<Socket>): Promise<boolean> {
    return this.#set(socketKey(socket), facts, "attribute_exists(entry)");
  }

  /** Count a delivery over a socket without a device. Returns its number; undefined when the socket is gone. */
  async countDelivery(socket: Socket): Promise<number | undefined> {
    const updated = await this.#table.updateOnce(socketKey(socket), {
      UpdateExpression: "SET deliveries = if_not_exists(deliveries, :zero) + :one",
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeValues: { ":zero": 0, ":one": 1 },
    });
    return updated?.deliveries as number | undefined;
  }

  #queueCreation(clientId: string, acknowledgedUpTo: number) {
    const queue: DeviceQueue = { clientId, lastSeenAt: this.#clock(), acknowledgedUpTo, hasMissed: false };
    const names = Object.keys(queue);
    return {
      UpdateExpression: `SET ${names.map((name) => `${name} = if_not_exists(${name}, :${name})`).join(", ")}`,
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(queue).map(([name, value]) => [`:${name}`, value]),
      ),
    };
  }

  /** @param facts those that are undefined are removed */
  #set(
    key: Key<"sockets">,
    facts: object,
    condition: string,
    conditionValues: Record<string, unknown> = {},
  ): Promise<boolean> {
    const fields = Object.entries(facts).map(([name, value], index) => ({ name, value, index }));
    const set = fields.filter(({ value }) => value !== undefined);
    const removed = fields.filter(({ value }) => value === undefined).map(({ index }) => `#f${index}`);
    const update = this.#table.update(key, {
      UpdateExpression: `SET ${set.map(({ index }) => `#f${index} = :f${index}`).join(", ")}${
        removed.length > 0 ? ` REMOVE ${removed.join(", ")}` : ""
      }`,
      ConditionExpression: condition,
      ExpressionAttributeNames: Object.fromEntries(fields.map(({ name, index }) => [`#f${index}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(set.map(({ value, index }) => [`:f${index}`, value])),
        ...conditionValues,
      },
    });
    return succeeds(update);
  }
}

/**
 * A device queue from its item. An unreadable one counts as one that has lost events: the device is told so, fetches
 * its state again, and its acknowledgement replaces the unreadable item. Otherwise nothing would reach the user.
 */
const readQueue = (item: Item): DeviceQueue =>
  deviceQueueItem.parseOrAbsent(item) ?? {
    clientId: String(item.entry).slice(queuePrefix.length),
    lastSeenAt: 0,
    acknowledgedUpTo: 0,
    hasMissed: true,
    ...(typeof item.activeSocketId === "string" && { activeSocketId: item.activeSocketId }),
  };

const present = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value]);
