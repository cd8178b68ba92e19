import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, inject, it } from "vitest";
import type { Config } from "#shared/config.ts";
import { lastPrekey, newPrekey, newPrekeys } from "../../../test/support/prekeys.ts";
import { createDocumentClient } from "../client.ts";
import { retryStale, StaleReadError, transact, type Write } from "../conditions.ts";
import { clientIdOf, lastPrekeyId, type Prekey } from "./prekey.ts";
import { PrekeyStore } from "./prekey-store.ts";

Object.assign(process.env, inject("emulators").environment);
const client = createDocumentClient();
const store = new PrekeyStore(client, { tableName: (name) => `test-${name}` } as Config);

const commit = async (writes: Promise<Write[]>) => transact(client, await writes);

/** A device with prekeys, and what can be done with it. */
async function newPool(prekeys: readonly Prekey[]) {
  const last = lastPrekey();
  const device = [randomUUID(), clientIdOf(last)] as const;
  await commit(store.replaceAll(...device, prekeys, last));
  return {
    last,
    device,
    ids: () => store.ids(...device),
    claim: () => store.claim(...device),
    claimAtOnce: (count: number) => Promise.all(Array.from({ length: count }, () => store.claim(...device))),
  };
}

const idsOf = (prekeys: readonly (Prekey | undefined)[]) =>
  prekeys.map((prekey) => prekey?.id ?? -1).toSorted((one, other) => one - other);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const times = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);

describe.concurrent("claims", () => {
  it("hand out every prekey once as it was uploaded, then only the last-resort one", async () => {
    const prekeys = newPrekeys(20);
    const { claim, ids, last } = await newPool(prekeys);
    const claimed: (Prekey | undefined)[] = [];
    for (const _ of prekeys) claimed.push(await claim());

    expect(claimed.toSorted((one, other) => (one?.id ?? 0) - (other?.id ?? 0))).toEqual(prekeys);
    expect([await claim(), await claim()]).toEqual([last, last]);
    expect(await ids()).toEqual([lastPrekeyId]);
  });

  it("take prekeys in no fixed order", async () => {
    const orders = await Promise.all(
      times(4, newPrekeys(32)).map(async (prekeys) => {
        const { claim } = await newPool(prekeys);
        return [(await claim())?.id, (await claim())?.id, (await claim())?.id].join();
      }),
    );
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  it("of an only prekey, 20 at once, hand it out once, and else the last-resort one", async () => {
    const { claimAtOnce, last } = await newPool([newPrekey(7)]);
    const claimed = await claimAtOnce(20);

    expect(idsOf(claimed)).toEqual([7, ...times(19, lastPrekeyId)]);
    expect(claimed.filter((prekey) => prekey?.id === lastPrekeyId)).toEqual(times(19, last));
  });

  it("of a pool of 50, 80 at once, hand out 50 different ones, and else the last-resort one", async () => {
    const { claimAtOnce, ids } = await newPool(newPrekeys(50));

    expect(idsOf(await claimAtOnce(80))).toEqual([...upTo(50), ...times(30, lastPrekeyId)]);
    expect(await ids()).toEqual([lastPrekeyId]);
  });

  it("of an unknown device hand out nothing, and leave nothing behind", async () => {
    expect(await store.claim(randomUUID(), "c0ffee")).toBeUndefined();
    const { device, claim, ids } = await newPool(newPrekeys(3));
    await commit(store.removeAll(...device));
    expect([await claim(), await ids()]).toEqual([undefined, []]);
  });
});

describe.concurrent("uploads", () => {
  it("replace all prekeys", async () => {
    const { device, ids, claimAtOnce } = await newPool(newPrekeys(40));
    const last = lastPrekey();
    const prekeys = newPrekeys(2, 1000);
    await commit(store.replaceAll(...device, prekeys, last));

    expect(await ids()).toEqual([1000, 1001, lastPrekeyId]);
    expect(await claimAtOnce(3)).toEqual(expect.arrayContaining([...prekeys, last]));
  });

  it("add prekeys, and replace those with the same id", async () => {
    const { device, ids, claimAtOnce } = await newPool(newPrekeys(3));
    const added = newPrekeys(3, 1);
    const last = lastPrekey();
    await commit(store.add(...device, added, last));

    expect(await ids()).toEqual([0, 1, 2, 3, lastPrekeyId]);
    expect(await claimAtOnce(5)).toEqual(expect.arrayContaining([...added, last]));
  });

  it("keep the last of several with one id, and take the last-resort one out of the list", async () => {
    const { device, ids, claimAtOnce } = await newPool([]);
    const [first, second, last] = [newPrekey(9), newPrekey(9), lastPrekey()];
    await commit(store.add(...device, [first, second, last]));

    expect(await ids()).toEqual([9, lastPrekeyId]);
    expect(await claimAtOnce(2)).toEqual(expect.arrayContaining([second, last]));
  });

  it("of nothing, or of a last-resort prekey only, write no more than that", async () => {
    const { device, claim } = await newPool([]);
    const last = lastPrekey();
    expect(await store.add(...device, [])).toEqual([]);
    await commit(store.add(...device, [], last));
    expect(await claim()).toEqual(last);
  });

  it("do not bring back what is claimed or added meanwhile", async () => {
    const { device, claim } = await newPool([newPrekey(5)]);
    const late = await store.add(...device, newPrekeys(1, 21));
    const absent = await store.add(...device, newPrekeys(1, 1));
    expect((await claim())?.id).toBe(5);
    await commit(store.add(...device, newPrekeys(1, 17)));

    await expect(transact(client, late)).rejects.toThrow(StaleReadError);
    await expect(transact(client, absent)).rejects.toThrow(StaleReadError);
  });

  it("that were read before all prekeys were replaced or removed come too late", async () => {
    const { device, last } = await newPool(newPrekeys(1));
    const first = await store.add(...device, newPrekeys(1, 16));
    await commit(store.replaceAll(...device, newPrekeys(1), last));
    await expect(transact(client, first)).rejects.toThrow(StaleReadError);

    const second = await store.add(...device, newPrekeys(1, 16));
    await commit(store.removeAll(...device));
    await commit(store.replaceAll(...device, newPrekeys(1), last));
    await expect(transact(client, second)).rejects.toThrow(StaleReadError);
  });

  it("and claims at once lose nothing and give nothing twice", async () => {
    const { device, claim, ids } = await newPool(newPrekeys(32));
    const uploads = upTo(5).map((batch) =>
      retryStale(() => commit(store.add(...device, newPrekeys(16, 32 + 16 * batch)))),
    );
    const claims = Promise.all(times(40, claim).map((claimOne) => claimOne()));
    const [claimed] = await Promise.all([claims, ...uploads]);

    const given = idsOf(claimed).filter((id) => id !== lastPrekeyId);
    expect(new Set(given).size).toBe(given.length);
    expect([...given, ...(await ids())].toSorted((one, other) => one - other)).toEqual([
      ...upTo(112),
      lastPrekeyId,
    ]);
  });

  it("of 2000 prekeys fit, also with the longest keys, and of more do not", async () => {
    const prekeys = upTo(2000).map((id) => ({ id, key: "x".repeat(1024) }));
    const { device, ids } = await newPool(prekeys);
    expect(await ids()).toHaveLength(2001);
    await expect(store.add(...device, newPrekeys(1, 2000))).rejects.toMatchObject({ status: 400 });
    const replacing = store.replaceAll(...device, newPrekeys(2001), lastPrekey());
    await expect(replacing).rejects.toMatchObject({ error: "bad-request" });
  });
});

it("fails on a page that is not as it should be", async () => {
  const userId = randomUUID();
  const bad = { owner: `device#${userId}#c0ffee`, entry: "prekeys#00", prekeys: [{ id: "x" }], revision: 1 };
  await client.send(new PutCommand({ TableName: "test-clients", Item: bad }));
  await expect(store.ids(userId, "c0ffee")).rejects.toThrow();
});
