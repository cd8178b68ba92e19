import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact, type Write } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { PropertyStore } from "./property-store.ts";

const dynamo = createDynamo();
const store = new PropertyStore({
  dynamo,
  config: { tableName: (name) => `test-${name}` } as Config,
  clock: Date.now,
});

const commit = (writes: readonly Write[]) => transact(dynamo, writes);
const large = JSON.stringify("x".repeat(500_000));

async function setAll(userId: string, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, json] of Object.entries(values)) {
    await commit(store.set(await store.index(userId), key, json));
  }
}

describe.concurrent("stored properties", () => {
  it("are all removed with their user, even repeatedly, and those of others are kept", async () => {
    const [userId, other] = [randomUUID(), randomUUID()];
    for (const owner of [userId, other]) await setAll(owner, { small: "1", large });
    for (const _ of [1, 2]) await store.removeAll(userId);

    expect(await store.index(userId)).toEqual({ userId, revision: 0, properties: [] });
    expect([await store.all(userId), await store.get(userId, "large")]).toEqual([[], undefined]);
    expect((await store.all(other)).map(([key, json]) => [key, json.length])).toEqual([
      ["large", large.length],
      ["small", 1],
    ]);
  });

  it("refuse a change that is based on an outdated index", async () => {
    const userId = randomUUID();
    await setAll(userId, { a: "1" });
    const index = await store.index(userId);
    await commit(store.set(index, "b", "2"));

    for (const writes of [
      store.set(index, "c", "3"),
      store.remove(index, index.properties),
      store.set({ ...index, revision: 0 }, "c", "3"),
    ]) {
      await expect(commit(writes)).rejects.toThrow(StaleReadError);
    }
    expect(await store.all(userId)).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
  });

  it("leave nothing of a large value behind when it shrinks or is removed", async () => {
    const userId = randomUUID();
    await setAll(userId, { a: large, b: large });
    await setAll(userId, { a: "1" });
    const index = await store.index(userId);
    await commit(store.remove(index, index.properties.slice(1)));
    await setAll(userId, { b: "2" });

    expect(await store.all(userId)).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
    expect(await store.get(userId, "a")).toBe("1");
  });
});
