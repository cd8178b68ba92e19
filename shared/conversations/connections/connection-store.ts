import * as z from "zod";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type Connection, type ConnectionPair, connectionItem, isCounted } from "./connection.ts";

/** A user already has the maximum number of connections. */
export class ConnectionLimitError extends Error {
  override readonly name = "ConnectionLimitError";
}

const ownerOf = (userId: string) => `user#${userId}`;
const peerPrefix = "peer#";
const rowKey = (userId: string, peerId: string) => ({
  owner: ownerOf(userId),
  entry: `${peerPrefix}${peerId}`,
});
const isPeer = {
  range: "begins_with(entry, :peers)",
  ExpressionAttributeValues: { ":peers": peerPrefix },
};
const counterKey = (userId: string) => ({ owner: ownerOf(userId), entry: "count" });

declareItem(
  { table: "connections", kind: "count", key: ["user#*", "count"], subject: { user: "partition" } },
  storedObject({ occupied: z.int() }),
);

/**
 * Connections between users, one row for each side, and how many of a user's rows count towards the limit. Access
 * patterns: one side by user and peer; both sides; all of a user in the order of the peers' ids, or one page of them.
 * Both sides and both counters change in one transaction.
 */
export class ConnectionStore {
  readonly #table: Table<"connections">;
  readonly #limit: number;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "connections");
    this.#limit = context.config.settings.setUserMaxConnections;
  }

  async get(userId: string, peerId: string): Promise<Connection | undefined> {
    const item = await this.#table.get(rowKey(userId, peerId));
    return item && connectionItem.parse(item);
  }

  /**
   * Both sides, with that of `userId` as the own one; undefined when the users have no connection.
   * @throws StaleReadError when only one is there: rows come and go together, so a change happened during the read
   */
  async getPair(userId: string, peerId: string): Promise<ConnectionPair | undefined> {
    const [own, other] = await Promise.all([this.get(userId, peerId), this.get(peerId, userId)]);
    if (own === undefined && other === undefined) return undefined;
    if (own === undefined || other === undefined)
      throw new StaleReadError(`connection of ${userId} and ${peerId}`);
    return { own, other };
  }

  /** The connections between a user and some others that both sides have accepted, by the others' ids. */
  async contactsAmong(userId: string, peerIds: readonly string[]): Promise<Map<string, ConnectionPair>> {
    const pairs = await Promise.all(
      peerIds.map(async (peerId) => {
        const [own, other] = await Promise.all([this.get(userId, peerId), this.get(peerId, userId)]);
        return own?.status === "accepted" && other?.status === "accepted" ? { own, other } : undefined;
      }),
    );
    return new Map(pairs.flatMap((pair) => (pair === undefined ? [] : [[pair.own.peerId, pair]])));
  }

  /** All rows of a user, page by page, in the order of the peers' ids. */
  async *ofUser(userId: string): AsyncGenerator<Connection> {
    for await (const item of this.#table.query(ownerOf(userId), isPeer)) yield connectionItem.parse(item);
  }

  /**
   * Rows of a user in the order of the peers' ids.
   * @param page.after the peer after which to start; absent: start with the first
   * @param page.limit up to 1000, which always fit into one page of DynamoDB
   */
  async list(userId: string, page: { after?: string; limit: number }): Promise<Connection[]> {
    const { Items = [] } = await this.#table.page(ownerOf(userId), {
      ...isPeer,
      Limit: page.limit,
      ExclusiveStartKey: page.after === undefined ? undefined : rowKey(userId, page.after),
    });
    return Items.map((item) => connectionItem.parse(item));
  }

  /**
   * Writes that bring both sides from one state to the next; without `previous` they create them. A side that is the
   * same object in both states is left as it is. Rejected as `StaleReadError` when either side has changed since
   * `previous` was read, and as `ConnectionLimitError` when a user would exceed the limit.
   */
  save(previous: ConnectionPair | undefined, next: ConnectionPair): Write[] {
    const sides = [
      { before: previous?.own, after: next.own },
      { before: previous?.other, after: next.other },
    ];
    return [
      // Before the counters, because a stale state has to be decided again, even at the limit.
      ...sides.map(({ before, after }) =>
        before === after ? this.#requireUnchanged(after) : this.#putRow(before, after),
      ),
      ...sides.flatMap(({ before, after }) => this.#recount(before, after)),
    ];
  }

  /** Conditions that neither side has changed since it was read. Rejected as `StaleReadError`. */
  requireUnchanged({ own, other }: ConnectionPair): Write[] {
    return [own, other].map((row) => this.#requireUnchanged(row));
  }

  /**
   * Writes that remove both sides and decrement the other user's counter, for the erasure of the own user, whose
   * counter is no longer updated: once all pairs are gone, `removeCounter` removes it. Rejected as `StaleReadError`
   * when either side has changed or was removed since it was read; read both again with `getPair`.
   */
  removeBoth({ own, other }: ConnectionPair): Write[] {
    return [this.#deleteRow(own), this.#deleteRow(other), ...this.#recount(other, undefined)];
  }

  /** Remove the counter of a deleted user, after all connections. */
  removeCounter(userId: string): Write {
    return this.#table.deleteWrite(counterKey(userId));
  }

  #putRow(before: Connection | undefined, after: Connection): Write {
    const { userId, peerId } = after;
    return this.#table.putWrite(
      { ...rowKey(userId, peerId), ...after },
      { atRevision: before?.revision ?? 0 },
    );
  }

  #requireUnchanged(row: Connection): Write {
    return this.#table.requireWrite(rowKey(row.userId, row.peerId), { atRevision: row.revision });
  }

  #deleteRow(row: Connection): Write {
    return this.#table.deleteWrite(rowKey(row.userId, row.peerId), { atRevision: row.revision });
  }

  /** Adjusts a user's counter to the change of one row. */
  #recount(before: Connection | undefined, after: Connection | undefined): Write[] {
    const change = places(after) - places(before);
    const userId = (before ?? after)?.userId;
    if (change === 0 || userId === undefined) return [];
    const UpdateExpression = "ADD occupied :change";
    const ExpressionAttributeValues = { ":change": change };
    const update =
      change < 0
        ? { UpdateExpression, ExpressionAttributeValues }
        : {
            UpdateExpression,
            ConditionExpression: "attribute_not_exists(occupied) OR occupied < :limit",
            ExpressionAttributeValues: { ...ExpressionAttributeValues, ":limit": this.#limit },
            onRejected: () => new ConnectionLimitError(userId),
          };
    return [this.#table.updateWrite(counterKey(userId), update)];
  }
}

const places = (row: Connection | undefined) => (row !== undefined && isCounted(row) ? 1 : 0);
