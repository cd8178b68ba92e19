import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type GuestLink, guestLinkKey } from "./guest-link.ts";
import { GuestLinkStore } from "./guest-link-store.ts";

const dynamo = createDynamo();
const config = { tableName: (name) => `test-${name}` } as Config;

/** A store with a clock that a test sets. */
function newStore() {
  const time = { now: Date.UTC(2026, 0, 31) };
  const store = new GuestLinkStore({ dynamo, config, clock: () => time.now });
  const conversationId = randomUUID();
  const key = guestLinkKey(conversationId);
  const newLink = (): GuestLink => ({
    conversationId,
    linkId: randomUUID(),
    expiresAt: time.now + 60_000,
  });
  const create = async (link = newLink()) => {
    await transact(dynamo, [store.create(link)]);
    return link;
  };
  return { store, time, conversationId, key, create };
}

describe.concurrent("the store of guest links", () => {
  it("finds a link by the key of its conversation", async () => {
    const { store, conversationId, key, create } = newStore();
    const link = await create({
      conversationId,
      teamId: randomUUID(),
      linkId: randomUUID(),
      passwordHash: "$scrypt$",
      expiresAt: Date.UTC(2027, 0, 1),
    });
    expect(key).toMatch(/^[\w-]{20}$/);
    expect(await store.get(key)).toEqual(link);
    expect(await store.get(guestLinkKey(randomUUID()))).toBeUndefined();
  });

  it("has one link for each conversation", async () => {
    const { store, key, create } = newStore();
    const results = await Promise.allSettled([create(), create(), create(), create()]);
    const created = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(created).toEqual([await store.get(key)]);
    await expect(create()).rejects.toThrow(StaleReadError);
  });

  it("treats a link as unknown from the moment it expires, and lets another replace it", async () => {
    const { store, time, key, create } = newStore();
    const first = await create();
    time.now = first.expiresAt - 1;
    expect(await store.get(key)).toEqual(first);
    time.now = first.expiresAt;
    expect(await store.get(key)).toBeUndefined();
    const second = await create();
    expect(await store.get(key)).toEqual(second);
  });

  it("removes the link of a conversation, also repeatedly", async () => {
    const { store, conversationId, key, create } = newStore();
    const link = await create();
    const require = () => transact(dynamo, [store.requireCurrent(link)]);
    await require();
    await transact(dynamo, [store.removeOf(conversationId)]);
    await transact(dynamo, [store.removeOf(conversationId)]);
    expect(await store.get(key)).toBeUndefined();
    await expect(require()).rejects.toThrow(StaleReadError);
    await create();
    await expect(require()).rejects.toThrow(StaleReadError);
  });
});
