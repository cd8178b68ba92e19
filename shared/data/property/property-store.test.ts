import { randomUUID } from "node:crypto";
import { describe, expect, inject, it } from "vitest";
import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "../client.ts";
import { StaleReadError, transact, type Write } from "../conditions.ts";
import { PropertyStore } from "./property-store.ts";

Object.assign(process.env, inject("emulators").environment);
const client = createDocumentClient();
const store = new PropertyStore(client, { tableName: (name) => `test-${name}` } as Config);

const commit = (writes: readonly Write[]) => transact(client, writes);
const large = JSON.stringify("x".repeat(500_000));

async function setAll(userId: string, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, json] of Object.entries(values)) {
    await commit(store.set(await store.index(userId), key, json));
  }
}

describe.concurrent("properties in the store", () => {
  it("are all removed with their user, as often as that is asked for, and nobody else's", async () => {
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

  it("change from one state to one other: what rests on an older one is refused", async () => {
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

  it("leave nothing of a large value behind when it shrinks or goes", async () => {
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
