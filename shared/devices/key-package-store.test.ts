import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { cipherSuites } from "#shared/devices/mls/cipher-suites.ts";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { injectFaults } from "../../test/support/faults.ts";
import { type KeyPackagePool, KeyPackageStore } from "./key-package-store.ts";

const dynamo = createDynamo();
const config = { tableName: (name) => `test-${name}` } as Config;

const conditionWith = (ConditionExpression: string): Write => ({
  item: {
    ConditionCheck: {
      TableName: "test-clients",
      Key: { owner: randomUUID(), entry: "devices" },
      ConditionExpression,
    },
  },
  onRejected: () => new StaleReadError("condition"),
});

/** Far in the future, where no item expires while the tests run. Unix seconds. */
const start = 4_000_000_000;

const newPool = (suite = 0x0001): KeyPackagePool => ({ userId: randomUUID(), clientId: "c0ffee", suite });
const newPackages = (pool: KeyPackagePool, count: number, purgeAtSeconds = start + 1000) =>
  Array.from({ length: count }, () => ({
    ...pool,
    reference: randomBytes(32).toString("base64url"),
    bytes: randomBytes(300),
    purgeAtSeconds,
  }));

/** A store whose clock shows this second. */
const storeAt = (seconds: number) => new KeyPackageStore({ dynamo, config, clock: () => seconds * 1000 });
const store = storeAt(start);
const holds = () => conditionWith("attribute_not_exists(entry)");
const fails = () => conditionWith("attribute_exists(entry)");
const claimAll = async (pool: KeyPackagePool) => {
  const claimed: string[] = [];
  for (let next = await store.claim(pool); next !== undefined; next = await store.claim(pool))
    claimed.push(next.reference);
  return claimed;
};
const referencesOf = (packages: readonly { reference: string }[]) =>
  packages.map(({ reference }) => reference).toSorted();

describe("a claim", () => {
  it("takes each package once and unchanged, in no fixed order", async () => {
    const pool = newPool();
    const packages = newPackages(pool, 20);
    await store.add(packages, holds());
    const claimed = await Promise.all(packages.map(() => store.claim(pool)));
    const stored = packages.map(({ reference, bytes, purgeAtSeconds }) => ({
      reference,
      bytes: new Uint8Array(bytes),
      purgeAtSeconds,
    }));

    expect(claimed).toEqual(expect.arrayContaining(stored));
    expect(await store.claim(pool)).toBeUndefined();
    await store.add(packages, holds());
    expect(await claimAll(pool)).not.toEqual(referencesOf(packages));
  });

  it("of a single package succeeds for one of 20 concurrent callers", async () => {
    const pool = newPool();
    await store.add(newPackages(pool, 1), holds());
    const claimed = await Promise.all(Array.from({ length: 20 }, () => store.claim(pool)));
    expect(claimed.filter((found) => found !== undefined)).toHaveLength(1);
  });

  it("skips any number of expired packages", async () => {
    const pool = newPool();
    const live = newPackages(pool, 1, start + 1);
    await store.add([...newPackages(pool, 60, start), ...live], holds());
    expect(await store.count(pool)).toBe(1);
    expect(await claimAll(pool)).toEqual(referencesOf(live));
    expect(await storeAt(start - 1).count(pool)).toBe(60);
  });

  it("takes packages of its own pool only", async () => {
    const pool = newPool();
    await store.add(newPackages(pool, 1), holds());
    const others = [{ suite: 2 }, { clientId: "c0ffe" }, { userId: randomUUID() }];
    for (const other of others) expect(await store.claim({ ...pool, ...other })).toBeUndefined();
  });

  it("succeeds while the same packages are uploaded again", async () => {
    const pool = newPool();
    const packages = newPackages(pool, 10);
    const adds = Array.from({ length: 5 }, () => store.add(packages, holds()));
    const claims = Array.from({ length: 20 }, () => store.claim(pool));
    await expect(Promise.all([...adds, ...claims])).resolves.toBeDefined();
  });
});

describe("adding packages", () => {
  it("adds nothing when the condition fails", async () => {
    const pool = newPool();
    await expect(store.add(newPackages(pool, 3), fails())).rejects.toThrow(StaleReadError);
    expect(await store.count(pool)).toBe(0);
  });

  it("takes more than one transaction can hold, and each package only once", async () => {
    const pool = newPool();
    const packages = newPackages(pool, 150);
    await store.add([...packages, ...packages], holds());
    expect(await store.count(pool)).toBe(150);
    await store.add([], holds());
  });
});

describe("replacing packages", () => {
  it("leaves only the new packages, and other suites unchanged", async () => {
    const pool = newPool();
    const other = { ...pool, suite: 2 };
    await store.add([...newPackages(pool, 60), ...newPackages(other, 2)], holds());
    const next = newPackages(pool, 3);
    await store.replace([pool], next, holds());
    expect((await claimAll(pool)).toSorted()).toEqual(referencesOf(next));
    expect(await store.count(other)).toBe(2);
  });

  it.each(["TransactWriteItems", "BatchWriteItem"])(
    "loses nothing when %s fails, and can be repeated",
    async (action) => {
      const pool = newPool();
      const [before, next] = [newPackages(pool, 30), newPackages(pool, 5)];
      await store.add(before, holds());
      const end = injectFaults((call) => (call.action === action ? "dies-before" : undefined));
      try {
        await expect(store.replace([pool], next, holds())).rejects.toThrow("dies");
      } finally {
        end();
      }
      expect(await store.count(pool)).toBe(action === "BatchWriteItem" ? 35 : 30);
      await store.replace([pool], next, holds());
      expect((await claimAll(pool)).toSorted()).toEqual(referencesOf(next));
    },
  );
});

it("removes packages by reference, or all packages of a device", async () => {
  const pool = newPool();
  const packages = newPackages(pool, 40);
  await store.add(packages, holds());
  const references = referencesOf(packages);
  await store.remove(pool, [...references.slice(1), ...references.slice(1), "unknown"]);
  expect(await store.count(pool)).toBe(1);

  const pools = [...cipherSuites.keys()].map((suite) => ({ ...pool, suite }));
  for (const one of pools) await store.add(newPackages(one, 30), holds());
  const sibling = { ...pool, clientId: "c0ffee0" };
  await store.add(newPackages(sibling, 1), holds());
  await store.removeAll(pool.userId, pool.clientId);
  await store.removeAll(pool.userId, pool.clientId);
  expect(await Promise.all(pools.map((one) => store.count(one)))).toEqual([0, 0, 0, 0, 0]);
  expect(await store.count(sibling)).toBe(1);
});
