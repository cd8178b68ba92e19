import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { retryStale, StaleReadError, transact, type Write } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type AwsCall, type Fault, injectFaults } from "../../test/support/faults.ts";
import { lastPrekey, newPrekey, newPrekeys } from "../../test/support/prekeys.ts";
import { TooManyPrekeysError } from "./device.ts";
import { deviceIdOf, lastPrekeyId, type Prekey } from "./prekey.ts";
import { PrekeyStore } from "./prekey-store.ts";

const dynamo = createDynamo();
const store = new PrekeyStore({
  dynamo,
  config: { tableName: (name) => `test-${name}` } as Config,
  clock: Date.now,
});

const commit = async (writes: Promise<Write[]>) => transact(dynamo, await writes);

/** A device with prekeys, and operations on it. */
async function newPool(prekeys: readonly Prekey[]) {
  const last = lastPrekey();
  const device = [randomUUID(), deviceIdOf(last)] as const;
  await commit(store.replaceAll(...device, prekeys, last));
  return {
    last,
    device,
    ids: () => store.ids(...device),
    claim: () => store.claim(...device),
    claimConcurrently: (count: number) =>
      Promise.all(Array.from({ length: count }, () => store.claim(...device))),
  };
}

const idsOf = (prekeys: readonly (Prekey | undefined)[]) =>
  prekeys.map((prekey) => prekey?.id ?? -1).toSorted((one, other) => one - other);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const times = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);

describe.concurrent("claims", () => {
  it("return every prekey once and unchanged, then only the last-resort one", async () => {
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

  it("hand out a single prekey to one of 20 concurrent callers, and the last-resort one to the others", async () => {
    const { claimConcurrently, last } = await newPool([newPrekey(7)]);
    const claimed = await claimConcurrently(20);

    expect(idsOf(claimed)).toEqual([7, ...times(19, lastPrekeyId)]);
    expect(claimed.filter((prekey) => prekey?.id === lastPrekeyId)).toEqual(times(19, last));
  });

  it("hand out 50 different prekeys to 80 concurrent callers, and the last-resort one to the rest", async () => {
    const { claimConcurrently, ids } = await newPool(newPrekeys(50));

    expect(idsOf(await claimConcurrently(80))).toEqual([...upTo(50), ...times(30, lastPrekeyId)]);
    expect(await ids()).toEqual([lastPrekeyId]);
  });

  it("return nothing for an unknown device, and leave nothing behind", async () => {
    expect(await store.claim(randomUUID(), "c0ffee")).toBeUndefined();
    const { device, claim, ids } = await newPool(newPrekeys(3));
    await commit(store.removeAll(...device));
    expect([await claim(), await ids()]).toEqual([undefined, []]);
  });
});

describe.concurrent("uploads", () => {
  it("replace all prekeys", async () => {
    const { device, ids, claimConcurrently } = await newPool(newPrekeys(40));
    const last = lastPrekey();
    const prekeys = newPrekeys(2, 1000);
    await commit(store.replaceAll(...device, prekeys, last));

    expect(await ids()).toEqual([1000, 1001, lastPrekeyId]);
    expect(await claimConcurrently(3)).toEqual(expect.arrayContaining([...prekeys, last]));
  });

  it("add prekeys, and replace those with the same id", async () => {
    const { device, ids, claimConcurrently } = await newPool(newPrekeys(3));
    const added = newPrekeys(3, 1);
    const last = lastPrekey();
    await commit(store.add(...device, added, last));

    expect(await ids()).toEqual([0, 1, 2, 3, lastPrekeyId]);
    expect(await claimConcurrently(5)).toEqual(expect.arrayContaining([...added, last]));
  });

  it("keep the last of several prekeys with one id, and take the last-resort one out of the list", async () => {
    const { device, ids, claimConcurrently } = await newPool([]);
    const [first, second, last] = [newPrekey(9), newPrekey(9), lastPrekey()];
    await commit(store.add(...device, [first, second, last]));

    expect(await ids()).toEqual([9, lastPrekeyId]);
    expect(await claimConcurrently(2)).toEqual(expect.arrayContaining([second, last]));
  });

  it("write nothing for an empty list, and only the last-resort prekey when there is no other", async () => {
    const { device, claim } = await newPool([]);
    const last = lastPrekey();
    expect(await store.add(...device, [])).toEqual([]);
    await commit(store.add(...device, [], last));
    expect(await claim()).toEqual(last);
  });

  it("fail as stale after a concurrent claim or upload", async () => {
    const { device, claim } = await newPool([newPrekey(5)]);
    const late = await store.add(...device, newPrekeys(1, 21));
    const absent = await store.add(...device, newPrekeys(1, 1));
    expect((await claim())?.id).toBe(5);
    await commit(store.add(...device, newPrekeys(1, 17)));

    await expect(transact(dynamo, late)).rejects.toThrow(StaleReadError);
    await expect(transact(dynamo, absent)).rejects.toThrow(StaleReadError);
  });

  it("fail as stale after all prekeys were replaced or removed", async () => {
    const { device, last } = await newPool(newPrekeys(1));
    const first = await store.add(...device, newPrekeys(1, 16));
    await commit(store.replaceAll(...device, newPrekeys(1), last));
    await expect(transact(dynamo, first)).rejects.toThrow(StaleReadError);

    const second = await store.add(...device, newPrekeys(1, 16));
    await commit(store.removeAll(...device));
    await commit(store.replaceAll(...device, newPrekeys(1), last));
    await expect(transact(dynamo, second)).rejects.toThrow(StaleReadError);
  });

  it("lose nothing and hand out nothing twice while claims run concurrently", async () => {
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

  it("accept up to 2000 prekeys, even with the longest keys, and no more", async () => {
    const prekeys = upTo(2000).map((id) => ({ id, key: "x".repeat(1024) }));
    const { device, ids } = await newPool(prekeys);
    expect(await ids()).toHaveLength(2001);
    await expect(store.add(...device, newPrekeys(1, 2000))).rejects.toThrow(TooManyPrekeysError);
    const replacing = store.replaceAll(...device, newPrekeys(2001), lastPrekey());
    await expect(replacing).rejects.toThrow(TooManyPrekeysError);
  });
});

it("a claim fails on a malformed page", async () => {
  const userId = randomUUID();
  const bad = { owner: `device#${userId}#c0ffee`, entry: "prekeys#00", prekeys: [{ id: "x" }], revision: 1 };
  await dynamo.send(new PutCommand({ TableName: "test-clients", Item: bad }));
  await expect(store.ids(userId, "c0ffee")).rejects.toThrow();
});

describe("claims of many devices", () => {
  /** Devices with 160 prekeys each, ten in a page. */
  async function newDevices(count: number) {
    const prekeys = newPrekeys(160);
    const pools = await Promise.all(times(count, prekeys).map(newPool));
    return {
      prekeys,
      devices: pools.map(({ device: [userId, clientId] }) => ({ userId, clientId })),
      idsOfEach: () => Promise.all(pools.map(({ ids }) => ids())),
    };
  }

  /** Runs a task. @returns its result, and the calls of DynamoDB, of which some may fail */
  async function callsDuring<Result>(
    task: () => Promise<Result>,
    choose: (call: AwsCall) => Fault | undefined = () => undefined,
  ) {
    const actions: string[] = [];
    const end = injectFaults((call) => {
      if (call.isFirstAttempt) actions.push(call.action);
      return choose(call);
    });
    const result = await task().finally(end);
    return { result, actions };
  }

  it("take a prekey of each in a few calls", async () => {
    const { prekeys, devices, idsOfEach } = await newDevices(30);
    const { result: claimed, actions } = await callsDuring(() => store.claimOfEach(devices));
    expect(actions).toEqual(["BatchGetItem", "BatchExecuteStatement", "BatchExecuteStatement"]);
    const left = await idsOfEach();
    claimed.forEach((prekey, index) => {
      expect(prekeys).toContainEqual(prekey);
      expect(left[index]).toHaveLength(prekeys.length);
      expect(left[index]).not.toContain(prekey?.id);
    });
  });

  it("give each prekey to one claimer only", async () => {
    const { devices, idsOfEach } = await newDevices(8);
    const rounds = await Promise.all(upTo(20).map(() => store.claimOfEach(devices)));
    const left = await idsOfEach();
    devices.forEach((_, index) => {
      const claimed = rounds.flatMap((round) => round[index]?.id ?? []);
      expect(claimed.length).toBeGreaterThan(0);
      expect(new Set([...claimed, ...(left[index] ?? [])]).size).toBe(
        claimed.length + (left[index]?.length ?? 0),
      );
      // 160 and the last-resort one; no claim that came too late has taken one.
      expect(claimed.length + (left[index]?.length ?? 0)).toBe(161);
    });
  });

  it("give no prekey away that a call with a lost answer has taken", async () => {
    const { prekeys, devices, idsOfEach } = await newDevices(5);
    const { result: claimed } = await callsDuring(
      () => store.claimOfEach(devices),
      ({ action, isFirstAttempt }) =>
        action === "BatchExecuteStatement" && isFirstAttempt ? "answer-lost" : undefined,
    );
    expect(claimed).toEqual(times(5, undefined));
    for (const left of await idsOfEach()) expect(left).toHaveLength(prekeys.length);
  });

  it("leave devices without prekeys to others", async () => {
    const { device } = await newPool([]);
    const [userId, clientId] = device;
    const { devices } = await newDevices(1);
    const unknown = { userId: randomUUID(), clientId };
    const [none, missing, claimed] = await store.claimOfEach([{ userId, clientId }, unknown, ...devices]);
    expect([none, missing]).toEqual([undefined, undefined]);
    expect(claimed?.id).toBeLessThan(160);
  });
});
