import { randomBytes } from "node:crypto";
import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from "@aws-sdk/lib-dynamodb";
import { chunks } from "../../chunks.ts";
import { type Clock, toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { cipherSuites } from "../../mls/cipher-suites.ts";
import { batchDelete } from "../batch-delete.ts";
import { onConditionFailed, transact, type Write } from "../conditions.ts";
import { type KeyPackageItem, keyPackageItem } from "./key-package.ts";

/** Key packages of one device for one cipher suite. */
export interface KeyPackagePool {
  readonly userId: string;
  readonly clientId: string;
  /** Number of the cipher suite. */
  readonly suite: number;
}

/** A key package with where it belongs. */
export interface PooledKeyPackage extends KeyPackagePool, KeyPackageItem {}

interface KeyPackageKey extends Record<string, string> {
  readonly owner: string;
  readonly reference: string;
}

const ownerOf = ({ userId, clientId, suite }: KeyPackagePool) => `device#${userId}#${clientId}#${suite}`;
const keyOf = (keyPackage: KeyPackagePool & Pick<KeyPackageItem, "reference">): KeyPackageKey => ({
  owner: ownerOf(keyPackage),
  reference: keyPackage.reference,
});

/** Expiry attributes only tidy up: an expired package counts as absent. */
const isLive = "purgeAtSeconds > :now";

const onlyReferences = {
  ProjectionExpression: "#reference",
  ExpressionAttributeNames: { "#reference": "reference" },
};

/** A transaction takes 100 writes, and one of them is the condition. */
const maxPuts = 99;

/**
 * Key packages that wait to be claimed. Access patterns: add to a pool, replace and empty pools; count a pool; delete by
 * reference; take a random one. In a pool they lie sorted by their references, which are hashes: in random order.
 */
export class KeyPackageStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.#tableName = config.tableName("key-packages");
    this.#clock = clock;
  }

  /**
   * Add packages under a condition, such as that their device exists. More than 99 are not added in one step: after an
   * error some may be there, and the same call may be made again.
   */
  async add(keyPackages: readonly PooledKeyPackage[], condition: Write): Promise<void> {
    const puts = new Map(
      keyPackages.map((keyPackage) => {
        const { reference, bytes, purgeAtSeconds } = keyPackage;
        const Item = { ...keyOf(keyPackage), bytes, purgeAtSeconds };
        return [`${Item.owner}#${reference}`, { item: { Put: { TableName: this.#tableName, Item } } }];
      }),
    );
    for (const writes of chunks([...puts.values()], maxPuts)) {
      await transact(this.#client, [condition, ...writes]);
    }
  }

  /**
   * Add packages as `add` does, then delete what was in the pools before. A failure leaves new ones beside old ones,
   * never less than there was; what somebody else adds meanwhile stays.
   */
  async replace(
    pools: readonly KeyPackagePool[],
    keyPackages: readonly PooledKeyPackage[],
    condition: Write,
  ): Promise<void> {
    // Before they are added: of replacements at once, none deletes what the last one adds.
    const before = await this.#keysIn(pools);
    await this.add(keyPackages, condition);
    const added = new Set(keyPackages.map(({ reference }) => reference));
    await this.#delete(before.filter(({ reference }) => !added.has(reference)));
  }

  /** Delete all that a device has. Nothing happens when it has none. */
  async removeAll(userId: string, clientId: string): Promise<void> {
    const pools = [...cipherSuites.keys()].map((suite) => ({ userId, clientId, suite }));
    await this.#delete(await this.#keysIn(pools));
  }

  /** Delete packages by reference; unknown ones are no error. */
  async remove(pool: KeyPackagePool, references: readonly string[]): Promise<void> {
    await this.#delete([...new Set(references)].map((reference) => keyOf({ ...pool, reference })));
  }

  /** How many packages of a pool can be claimed. */
  async count(pool: KeyPackagePool): Promise<number> {
    let count = 0;
    const pages = this.#pages(pool, {
      FilterExpression: isLive,
      ExpressionAttributeValues: this.#now(),
      Select: "COUNT",
    });
    for await (const { Count = 0 } of pages) count += Count;
    return count;
  }

  /** Take a random package out of a pool: nobody else gets it. Undefined when there is none that has not expired. */
  async claim(pool: KeyPackagePool): Promise<KeyPackageItem | undefined> {
    while (true) {
      const start = randomBytes(32).toString("base64url");
      const reference =
        (await this.#firstLive(pool, "#reference >= :start", start)) ??
        (await this.#firstLive(pool, "#reference < :start", start));
      if (reference === undefined) return undefined;
      const claimed = await this.#take(pool, reference);
      // Otherwise somebody else got it: there is progress, and perhaps another one is left.
      if (claimed !== undefined) return claimed;
    }
  }

  async #firstLive(pool: KeyPackagePool, range: string, start: string): Promise<string | undefined> {
    const pages = this.#pages(pool, {
      KeyConditionExpression: `#owner = :owner AND ${range}`,
      FilterExpression: isLive,
      ...onlyReferences,
      ExpressionAttributeValues: { ...this.#now(), ":start": start },
      // The first is nearly always live; where it has expired, the next page is a whole one.
      Limit: 1,
    });
    for await (const { Items = [] } of pages) {
      if (Items[0] !== undefined) return Items[0].reference;
    }
    return undefined;
  }

  async #take(pool: KeyPackagePool, reference: string): Promise<KeyPackageItem | undefined> {
    const remove = new DeleteCommand({
      TableName: this.#tableName,
      Key: keyOf({ ...pool, reference }),
      ConditionExpression: isLive,
      ExpressionAttributeValues: this.#now(),
      ReturnValues: "ALL_OLD",
    });
    try {
      const removed = await onConditionFailed(this.#client.send(remove), () => undefined);
      return removed && keyPackageItem.parse(removed.Attributes);
    } catch (error) {
      // Its device uploads it again at this moment.
      if (error instanceof TransactionConflictException) return undefined;
      throw error;
    }
  }

  #now = () => ({ ":now": toSeconds(this.#clock()) });

  async #keysIn(pools: readonly KeyPackagePool[]): Promise<KeyPackageKey[]> {
    return (await Promise.all(pools.map((pool) => this.#keysOf(pool)))).flat();
  }

  async #keysOf(pool: KeyPackagePool): Promise<KeyPackageKey[]> {
    const keys: KeyPackageKey[] = [];
    for await (const { Items = [] } of this.#pages(pool, onlyReferences)) {
      keys.push(...Items.map(({ reference }) => keyOf({ ...pool, reference })));
    }
    return keys;
  }

  /** Consistent pages of a pool; `Limit` only holds for the first. */
  async *#pages(
    pool: KeyPackagePool,
    { ExpressionAttributeNames, ExpressionAttributeValues, Limit, ...query }: Partial<QueryCommandInput>,
  ): AsyncGenerator<QueryCommandOutput> {
    let startKey: Record<string, unknown> | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: "#owner = :owner",
          ExpressionAttributeNames: { ...ExpressionAttributeNames, "#owner": "owner" },
          ExpressionAttributeValues: { ...ExpressionAttributeValues, ":owner": ownerOf(pool) },
          ConsistentRead: true,
          ...(startKey === undefined ? { Limit } : { ExclusiveStartKey: startKey }),
          ...query,
        }),
      );
      yield page;
      startKey = page.LastEvaluatedKey;
    } while (startKey !== undefined);
  }

  #delete = (keys: readonly KeyPackageKey[]) =>
    batchDelete(this.#client, { tableName: this.#tableName, keys });
}
