import { randomBytes } from "node:crypto";
import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { chunks } from "#shared/platform/chunks.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { onConditionFailed, transact, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { type Key, Table } from "#shared/platform/data/table.ts";
import { cipherSuites } from "./mls/cipher-suites.ts";

/** A key package as it is stored, and handed out once (RFC 9420 §10). */
const keyPackageItem = storedItem(
  { table: "key-packages", kind: "key-package", key: ["device#*", "*"], subject: { user: "partition" } },
  storedObject({
    /** Its `KeyPackageRef` (RFC 9420 §5.2) in base64url. */
    reference: z.string(),
    bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
    /** Unix seconds at which it expires. */
    purgeAtSeconds: z.int(),
  }),
);
export type KeyPackageItem = Stored<typeof keyPackageItem>;

/** Key packages of one device for one cipher suite. */
export interface KeyPackagePool {
  readonly userId: string;
  readonly clientId: string;
  /** Number of the cipher suite. */
  readonly suite: number;
}

/** A key package and the pool that it belongs to. */
export interface PooledKeyPackage extends KeyPackagePool, KeyPackageItem {}

type KeyPackageKey = Key<"key-packages">;

const ownerOf = ({ userId, clientId, suite }: KeyPackagePool) => `device#${userId}#${clientId}#${suite}`;
const keyOf = (keyPackage: KeyPackagePool & Pick<KeyPackageItem, "reference">): KeyPackageKey => ({
  owner: ownerOf(keyPackage),
  reference: keyPackage.reference,
});

/** An expired package counts as absent, because time-to-live deletion lags. */
const isLive = "purgeAtSeconds > :now";

const onlyReferences = {
  ProjectionExpression: "#reference",
  ExpressionAttributeNames: { "#reference": "reference" },
};

/** A transaction holds 100 writes, and one of them is the condition. */
const maxPuts = 99;

/**
 * Key packages that wait to be claimed. Access patterns: add to a pool, replace and empty pools; count a pool; delete
 * by reference; take a random one. A pool is sorted by reference, and references are hashes: the order is random.
 */
export class KeyPackageStore {
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #table: Table<"key-packages">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#dynamo = context.dynamo;
    this.#table = new Table(context, "key-packages");
    this.#clock = context.clock;
  }

  /**
   * Add packages under a condition, such as that their device exists. More than 99 are not added atomically: after an
   * error some may have been added, and the same call can be repeated.
   */
  async add(keyPackages: readonly PooledKeyPackage[], condition: Write): Promise<void> {
    const puts = new Map(
      keyPackages.map((keyPackage) => {
        const { reference, bytes, purgeAtSeconds } = keyPackage;
        const item = { ...keyOf(keyPackage), bytes, purgeAtSeconds };
        return [`${item.owner}#${reference}`, this.#table.putWrite(item)];
      }),
    );
    for (const writes of chunks([...puts.values()], maxPuts)) {
      await transact(this.#dynamo, [condition, ...writes]);
    }
  }

  /**
   * Add packages as `add` does, then delete what was in the pools before. After a failure, old and new ones may
   * coexist, but none is lost; packages added by a concurrent call stay.
   */
  async replace(
    pools: readonly KeyPackagePool[],
    keyPackages: readonly PooledKeyPackage[],
    condition: Write,
  ): Promise<void> {
    // Read before adding, so that no concurrent replacement deletes what the last one adds.
    const before = await this.#keysIn(pools);
    await this.add(keyPackages, condition);
    const added = new Set(keyPackages.map(({ reference }) => reference));
    await this.#table.deleteMany(before.filter(({ reference }) => !added.has(reference)));
  }

  /** Delete all packages of a device, if it has any. */
  async removeAll(userId: string, clientId: string): Promise<void> {
    const pools = [...cipherSuites.keys()].map((suite) => ({ userId, clientId, suite }));
    await this.#table.deleteMany(await this.#keysIn(pools));
  }

  /** Delete packages by reference; unknown references are ignored. */
  async remove(pool: KeyPackagePool, references: readonly string[]): Promise<void> {
    await this.#table.deleteMany([...new Set(references)].map((reference) => keyOf({ ...pool, reference })));
  }

  /** Count the packages of a pool that can be claimed. */
  async count(pool: KeyPackagePool): Promise<number> {
    let count = 0;
    const pages = this.#table.pages(ownerOf(pool), {
      FilterExpression: isLive,
      ExpressionAttributeValues: this.#now(),
      Select: "COUNT",
    });
    for await (const { Count = 0 } of pages) count += Count;
    return count;
  }

  /** Take a random package out of a pool, which nobody else gets. Returns undefined when no valid one is left. */
  async claim(pool: KeyPackagePool): Promise<KeyPackageItem | undefined> {
    while (true) {
      const start = randomBytes(32).toString("base64url");
      const reference =
        (await this.#firstLive(pool, { range: "#reference >= :start", start })) ??
        (await this.#firstLive(pool, { range: "#reference < :start", start }));
      if (reference === undefined) return undefined;
      const claimed = await this.#take(pool, reference);
      // Somebody else got it: try again, others may be left.
      if (claimed !== undefined) return claimed;
    }
  }

  async #firstLive(
    pool: KeyPackagePool,
    { range, start }: { range: string; start: string },
  ): Promise<string | undefined> {
    const live = this.#table.query(ownerOf(pool), {
      range,
      FilterExpression: isLive,
      ...onlyReferences,
      ExpressionAttributeValues: { ...this.#now(), ":start": start },
      // The first package is nearly always live; if it has expired, a full page is read next.
      firstLimit: 1,
    });
    for await (const { reference } of live) return String(reference);
    return undefined;
  }

  async #take(pool: KeyPackagePool, reference: string): Promise<KeyPackageItem | undefined> {
    const taking = this.#table.take(keyOf({ ...pool, reference }), {
      ConditionExpression: isLive,
      ExpressionAttributeValues: this.#now(),
    });
    try {
      const taken = await onConditionFailed(taking, () => undefined);
      return taken && keyPackageItem.parse(taken);
    } catch (error) {
      // Its device is uploading it again at this moment.
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
    for await (const { reference } of this.#table.query(ownerOf(pool), onlyReferences)) {
      keys.push(keyOf({ ...pool, reference: String(reference) }));
    }
    return keys;
  }
}
