import { randomBytes, randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import type { Group } from "./group.ts";
import { GroupStore, type NextEpoch } from "./group-store.ts";
import { changeLeaves, devicesByUser, type Leaf } from "./leaves.ts";

const dynamo = createDynamo();
const config = { tableName: (name) => `test-${name}` } as Config;
const store = new GroupStore({ dynamo, config, clock: systemClock });

const newGroupId = () => randomBytes(40).toString("base64");
const newLeaves = (count: number) =>
  new Map(Array.from({ length: count }, (): Leaf => ({ userId: randomUUID(), clientId: "abc" })).entries());

const nextOf = (groupId: string, fields: Partial<NextEpoch> = {}): NextEpoch => ({
  groupId,
  conversationId: randomUUID(),
  epoch: 1,
  epochChangedAt: systemClock(),
  cipherSuite: 1,
  leaves: newLeaves(2),
  groupContext: new Uint8Array(randomBytes(60)),
  confirmationTag: new Uint8Array(randomBytes(32)),
  confirmedTranscriptHash: new Uint8Array(randomBytes(32)),
  groupInfo: randomBytes(500),
  ...fields,
});

/** Store an epoch as a commit does. */
async function begin(previous: Group | undefined, next: NextEpoch): Promise<Group> {
  const pending =
    previous === undefined ? [] : await store.pendingProposals(previous.groupId, previous.epoch);
  const { parts, write, cleanUp } = store.advance(previous, next, pending);
  await commit(dynamo, { parts: [parts], writes: [write, ...store.readmit(previous, next.leaves)] });
  await cleanUp();
  return (await store.get(next.groupId)) as Group;
}

describe.concurrent("the store of MLS groups", () => {
  it("keeps 14,000 devices and some megabytes of group info, and rewrites what a commit changes", async () => {
    const groupId = newGroupId();
    const leaves = newLeaves(14_000);
    const first = await begin(undefined, nextOf(groupId, { leaves, groupInfo: randomBytes(4_000_000) }));
    expect(first.leaves).toEqual(leaves);
    const changed = new Map([...leaves, [5000, { userId: randomUUID(), clientId: "def" }] as const]);
    const groupInfo = randomBytes(3_000_000);
    const second = await begin(first, nextOf(groupId, { epoch: 2, leaves: changed, groupInfo }));
    expect(second.leaves).toEqual(changed);
    const rewritten = second.leafVersions.filter((version, part) => version !== first.leafVersions[part]);
    expect([second.leafVersions.length, rewritten.length]).toEqual([55, 1]);
    expect((await store.getGroupInfo(second))?.equals(groupInfo)).toBe(true);
    const third = await begin(second, nextOf(groupId, { epoch: 3, leaves: newLeaves(3) }));
    expect(await store.getGroupInfo(first)).toBeUndefined();
    expect([third.leafVersions.length, third.leaves.size]).toEqual([1, 3]);
  });

  it("lets one of several commits for an epoch win, and keeps nothing of the others", async () => {
    const groupId = newGroupId();
    const first = await begin(undefined, nextOf(groupId));
    const candidates = Array.from({ length: 4 }, () => nextOf(groupId, { epoch: 2 }));
    const results = await Promise.allSettled(candidates.map((next) => begin(first, next)));
    const rejected = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(rejected).toHaveLength(3);
    for (const reason of rejected) expect(reason).toBeInstanceOf(StaleReadError);
    const winner = candidates[results.findIndex(({ status }) => status === "fulfilled")];
    const group = (await store.get(groupId)) as Group;
    expect([group.epoch, group.leaves]).toEqual([2, winner?.leaves]);
    expect((await store.getGroupInfo(group))?.equals(winner?.groupInfo ?? Buffer.alloc(0))).toBe(true);
  });

  it("keeps a group in its epoch when a function dies before the commit", async () => {
    const groupId = newGroupId();
    const first = await begin(undefined, nextOf(groupId));
    await store.advance(first, nextOf(groupId, { epoch: 2 }), []).parts.store(dynamo);
    expect(await store.get(groupId)).toEqual(first);
    const next = nextOf(groupId, { epoch: 2 });
    expect((await begin(first, next)).leaves).toEqual(next.leaves);
  });

  it("keeps proposals until their epoch ends, and refuses commits that do not know of them", async () => {
    const groupId = newGroupId();
    const first = await begin(undefined, nextOf(groupId));
    const proposal = { reference: randomBytes(32).toString("base64"), proposal: new Uint8Array([0, 3]) };
    const { parts, write } = store.advance(first, nextOf(groupId, { epoch: 2 }), []);
    await transact(dynamo, store.addProposal(first, proposal));
    expect(await store.pendingProposals(groupId, 1)).toEqual([{ groupId, epoch: 1, ...proposal }]);
    await expect(commit(dynamo, { parts: [parts], writes: [write] })).rejects.toThrow(StaleReadError);
    const second = await begin((await store.get(groupId)) as Group, nextOf(groupId, { epoch: 2 }));
    await expect(transact(dynamo, store.addProposal(first, proposal))).rejects.toThrow(StaleReadError);
    expect(await store.pendingProposals(groupId, 2)).toEqual([]);
    await begin(second, nextOf(groupId, { epoch: 3 }));
    expect(await store.pendingProposals(groupId, 1)).toEqual([]);
  });

  it("keeps what the last commit replaced, and nothing older", async () => {
    const groupId = newGroupId();
    let group = await begin(undefined, nextOf(groupId));
    for (let epoch = 1; epoch <= 4; epoch++) {
      for (let number = 0; number < 120; number++) {
        const reference = `${epoch}-${number}`;
        await transact(dynamo, store.addProposal(group, { reference, proposal: new Uint8Array([1]) }));
        group = (await store.get(groupId)) as Group;
      }
      group = await begin(group, nextOf(groupId, { epoch: epoch + 1, groupInfo: randomBytes(400_000) }));
    }
    const query = new QueryCommand({
      TableName: "test-conversations",
      KeyConditionExpression: "#owner = :owner",
      ExpressionAttributeNames: { "#owner": "owner" },
      ExpressionAttributeValues: { ":owner": `mls-group#${groupId}` },
      ProjectionExpression: "entry",
    });
    const { Items = [] } = await dynamo.send(query);
    const kinds = Map.groupBy(Items, ({ entry }) => String(entry).split("#")[0]);
    // Two parts of group info in this epoch and the former one; of the proposals, those that the item names.
    expect([...kinds].map(([kind, { length }]) => [kind, length])).toEqual([
      ["group", 1],
      ["group-leaves", 2],
      ["info", 4],
      ["proposal", 97],
    ]);
  });

  it("lets all devices leave at the same instant, even during a commit", async () => {
    const groupId = newGroupId();
    const first = await begin(undefined, nextOf(groupId, { leaves: newLeaves(300) }));
    const devices = [...first.leaves.values()];
    const next = nextOf(groupId, { epoch: 2, leaves: first.leaves });
    const [second] = await Promise.all([
      begin(first, next),
      ...devices.map((device) => transact(dynamo, [store.depart(first, device)])),
    ]);
    expect(second.epoch).toBe(2);
    const left = (await store.get(groupId)) as Group;
    expect([left.leaves.size, devicesByUser(left.leaves).size]).toEqual([300, 0]);
    const third = await begin(left, nextOf(groupId, { epoch: 3, leaves: left.leaves }));
    expect(third.leaves).toEqual(left.leaves);
  });

  it("forgets the departure of a device that joins again, but not of its former leaf", async () => {
    const groupId = newGroupId();
    const first = await begin(undefined, nextOf(groupId));
    const [own, other] = [...first.leaves.values()] as [Leaf, Leaf];
    await transact(dynamo, [store.depart(first, other)]);
    const left = (await store.get(groupId)) as Group;
    expect(devicesByUser(left.leaves)).toEqual(new Map([[own.userId, [own.clientId]]]));
    const leaves = changeLeaves(left.leaves, { removed: [], added: [other] });
    const back = await begin(left, nextOf(groupId, { epoch: 2, leaves }));
    expect(back.departures).toEqual([]);
    expect([...back.leaves.values()]).toEqual([own, { ...other, isLeaving: true }, other]);
  });

  it("erases a group completely", async () => {
    const groupId = newGroupId();
    const group = await begin(undefined, nextOf(groupId, { groupInfo: randomBytes(900_000) }));
    await transact(dynamo, store.addProposal(group, { reference: "x", proposal: new Uint8Array([1]) }));
    await transact(dynamo, [store.depart(group, [...group.leaves.values()][0] as Leaf)]);
    await store.erase(groupId);
    await store.erase(groupId);
    expect(await store.get(groupId)).toBeUndefined();
    expect(await store.getGroupInfo(group)).toBeUndefined();
    expect(await store.pendingProposals(groupId, 1)).toEqual([]);
  });
});
