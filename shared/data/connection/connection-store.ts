import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Config } from "../../config.ts";
import { ApiError } from "../../errors.ts";
import { batchRead } from "../batch-read.ts";
import { isAtRevision, StaleReadError, type Write } from "../conditions.ts";
import { type Connection, type ConnectionPair, connectionItem, isCounted } from "./connection.ts";

const ownerOf = (userId: string) => `user#${userId}`;
const peerPrefix = "peer#";
const rowKey = (userId: string, peerId: string) => ({
  owner: ownerOf(userId),
  entry: `${peerPrefix}${peerId}`,
});
const counterKey = (userId: string) => ({ owner: ownerOf(userId), entry: "count" });

/**
 * Connections between users, one row for each side, and how many of a user's rows count towards the limit. Access
 * patterns: one side by user and peer; both sides; all of a user in the order of the peers' ids, at once or by page.
 * Both sides and both counters change in one transaction.
 */
export class ConnectionStore {
  readonly tableName: string;
  readonly #client: DynamoDBDocumentClient;
  readonly #limit: number;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.tableName = config.tableName("connections");
    this.#limit = config.settings.setUserMaxConnections;
  }

  async get(userId: string, peerId: string): Promise<Connection | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.tableName, Key: rowKey(userId, peerId), ConsistentRead: true }),
    );
    return Item && connectionItem.parse(Item);
  }

  /**
   * Both sides, `userId` being the own one; undefined when the users have no connection.
   * @throws StaleReadError when the read fell into the middle of a change
   */
  async getPair(userId: string, peerId: string): Promise<ConnectionPair | undefined> {
    const keys = this.pairKeys(userId, peerId);
    return this.pairOf(userId, peerId, await batchRead(this.#client, [{ tableName: this.tableName, keys }]));
  }

  /** Keys of both sides, for a batch read together with other tables. */
  pairKeys = (userId: string, peerId: string) => [rowKey(userId, peerId), rowKey(peerId, userId)];

  /**
   * Pick both sides out of what a batch read of `pairKeys` found.
   * @throws StaleReadError when only one is there: rows come and go together, so a change came between the two reads
   */
  pairOf(
    userId: string,
    peerId: string,
    items: readonly Record<string, unknown>[],
  ): ConnectionPair | undefined {
    const [own, other] = this.pairKeys(userId, peerId).map((key) => {
      const found = items.find(({ owner, entry }) => owner === key.owner && entry === key.entry);
      return found && connectionItem.parse(found);
    });
    if (own === undefined && other === undefined) return undefined;
    if (own === undefined || other === undefined)
      throw new StaleReadError(`connection of ${userId} and ${peerId}`);
    return { own, other };
  }

  /** All rows of a user, page by page, in the order of the peers' ids. */
  async *ofUser(userId: string): AsyncGenerator<Connection> {
    let startKey: Record<string, unknown> | undefined;
    do {
      const page = await this.#client.send(this.#queryRows(userId, { startKey }));
      for (const item of page.Items ?? []) yield connectionItem.parse(item);
      startKey = page.LastEvaluatedKey;
    } while (startKey !== undefined);
  }

  /**
   * Rows of a user in the order of the peers' ids.
   * @param page.after the peer after which to begin; absent: from the first
   * @param page.limit up to 1000, which are sure to fit into what DynamoDB reads at once
   */
  async list(userId: string, page: { after?: string; limit: number }): Promise<Connection[]> {
    const startKey = page.after === undefined ? undefined : rowKey(userId, page.after);
    const { Items = [] } = await this.#client.send(this.#queryRows(userId, { startKey, limit: page.limit }));
    return Items.map((item) => connectionItem.parse(item));
  }

  /**
   * Writes that bring both sides from one state to the next; `previous` undefined creates them. A side that is the
   * same object in both states is left as it is. Rejected as `StaleReadError` when either side has changed since
   * `previous` was read, and as ApiError `connection-limit` when a user has no place left.
   */
  save(previous: ConnectionPair | undefined, next: ConnectionPair): Write[] {
    const sides = [
      { before: previous?.own, after: next.own },
      { before: previous?.other, after: next.other },
    ];
    return [
      // Before the counters: a state that is not what it was has to be decided anew, whatever the limit.
      ...sides.map(({ before, after }) =>
        before === after ? this.#requireUnchanged(after) : this.#putRow(before, after),
      ),
      ...sides.flatMap(({ before, after }) => this.#recount(before, after)),
    ];
  }

  /**
   * Writes that remove both sides and give the other user's place back, for the erasure of the own user, whose counter
   * is no longer kept: once all pairs are gone, `removeCounter` removes it. Rejected as `StaleReadError` when either
   * side has changed or gone since it was read: `getPair` tells which.
   */
  removeBoth({ own, other }: ConnectionPair): Write[] {
    return [this.#deleteRow(own), this.#deleteRow(other), ...this.#recount(other, undefined)];
  }

  /** Remove what is left of a user who has no connections any more, and can make none. */
  removeCounter(userId: string): Write {
    return { item: { Delete: { TableName: this.tableName, Key: counterKey(userId) } } };
  }

  #queryRows(userId: string, { startKey, limit }: { startKey?: Record<string, unknown>; limit?: number }) {
    return new QueryCommand({
      TableName: this.tableName,
      KeyConditionExpression: "#owner = :owner AND begins_with(entry, :peers)",
      ExpressionAttributeNames: { "#owner": "owner" },
      ExpressionAttributeValues: { ":owner": ownerOf(userId), ":peers": peerPrefix },
      ConsistentRead: true,
      ExclusiveStartKey: startKey,
      Limit: limit,
    });
  }

  #putRow(before: Connection | undefined, after: Connection): Write {
    const { userId, peerId } = after;
    return {
      item: {
        Put: {
          TableName: this.tableName,
          Item: { ...rowKey(userId, peerId), ...after },
          ...isAtRevision(before?.revision ?? 0),
        },
      },
      onRejected: () => staleRow(after),
    };
  }

  #requireUnchanged(row: Connection): Write {
    const Key = rowKey(row.userId, row.peerId);
    return {
      item: { ConditionCheck: { TableName: this.tableName, Key, ...isAtRevision(row.revision) } },
      onRejected: () => staleRow(row),
    };
  }

  #deleteRow(row: Connection): Write {
    const Key = rowKey(row.userId, row.peerId);
    return {
      item: { Delete: { TableName: this.tableName, Key, ...isAtRevision(row.revision) } },
      onRejected: () => staleRow(row),
    };
  }

  /** Brings a user's counter in step with a change of one row. */
  #recount(before: Connection | undefined, after: Connection | undefined): Write[] {
    const change = places(after) - places(before);
    const userId = (before ?? after)?.userId;
    if (change === 0 || userId === undefined) return [];
    const update = {
      TableName: this.tableName,
      Key: counterKey(userId),
      UpdateExpression: "ADD occupied :change",
    };
    if (change < 0)
      return [{ item: { Update: { ...update, ExpressionAttributeValues: { ":change": change } } } }];
    return [
      {
        item: {
          Update: {
            ...update,
            ConditionExpression: "attribute_not_exists(occupied) OR occupied < :limit",
            ExpressionAttributeValues: { ":change": change, ":limit": this.#limit },
          },
        },
        onRejected: () => new ApiError("connection-limit"),
      },
    ];
  }
}

const places = (row: Connection | undefined) => (row !== undefined && isCounted(row) ? 1 : 0);

const staleRow = ({ userId, peerId }: Connection) =>
  new StaleReadError(`connection of ${userId} to ${peerId}`);
