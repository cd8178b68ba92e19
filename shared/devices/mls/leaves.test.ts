import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { changeLeaves, decodeLeaves, devicesByUser, encodeLeaves, type Leaf, leafOf } from "./leaves.ts";

const newLeaf = (clientId: string, fields: Partial<Leaf> = {}): Leaf => ({
  userId: randomUUID(),
  clientId,
  ...fields,
});

describe("the leaves of a group", () => {
  it("are assigned from the lowest free one, after a commit's removals have freed theirs", () => {
    const [one, two, three, four, five] = ["1", "2", "3", "4", "5"].map((id) => newLeaf(id)) as [
      Leaf,
      Leaf,
      Leaf,
      Leaf,
      Leaf,
    ];
    const before = new Map([one, two, three].entries());
    const after = changeLeaves(before, { removed: [1], added: [four, five] });
    expect([...after].toSorted(([index], [other]) => index - other)).toEqual([
      [0, one],
      [1, four],
      [2, three],
      [3, five],
    ]);
    expect(before.get(1)).toBe(two);
  });

  it("no longer count for delivery once their removal is proposed", () => {
    const [staying, leaving] = [newLeaf("a"), newLeaf("b", { isLeaving: true })];
    const leaves = new Map([staying, leaving].entries());
    expect(devicesByUser(leaves)).toEqual(new Map([[staying.userId, ["a"]]]));
    expect([leafOf(leaves, staying), leafOf(leaves, leaving)]).toEqual([0, undefined]);
  });

  it("are restored from their parts, with 2,000 members of 7 devices each", () => {
    const users = Array.from({ length: 2000 }, () => randomUUID());
    const all = users.flatMap((userId, user) =>
      Array.from({ length: 7 }, (_, device): [number, Leaf] => [
        user * 7 + device,
        {
          userId,
          clientId: (2n ** 64n - 1n - BigInt(device)).toString(16),
          ...(device === 6 && { isLeaving: true }),
        },
      ]),
    );
    const leaves = new Map(all.filter(([index]) => index % 100 !== 50));
    const parts = encodeLeaves(leaves);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(7000);
    expect(decodeLeaves(parts)).toEqual(leaves);
    expect(encodeLeaves(new Map())).toEqual([]);
  });
});
