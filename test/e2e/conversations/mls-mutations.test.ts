import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newMlsClient } from "../../support/mls.ts";
import { newMlsGroupOf, newPeople } from "../../support/mls-groups.ts";

const rounds = 150;

/** Damage bytes in one of the ways in which senders do. */
function damage(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const at = randomInt(changed.length);
  switch (randomInt(5)) {
    case 0:
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << randomInt(8)), at);
      return changed;
    case 1:
      return changed.subarray(0, at);
    case 2:
      return Buffer.concat([changed.subarray(0, at), changed.subarray(randomInt(at + 1))]);
    case 3:
      changed.fill(0xbf, at, Math.min(at + 4, changed.length));
      return changed;
    default:
      changed.writeUInt8(randomInt(256), randomInt(Math.min(60, changed.length)));
      changed.writeUInt8(randomInt(256), at);
      return changed;
  }
}

describe.concurrent("damaged messages", () => {
  it("are refused, or accepted without harm, but never fail or take long", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const { id } = await newMlsGroupOf(ada, bob);
    const before = await ada.groupInfo(id);
    const tablet = await newMlsClient(ada.user, { packages: 0 });
    const good = await ada.prepare(...(await ada.additionsOf(cleo.user)));
    const external = await tablet.prepareJoin(id);
    const bundles = [good, external].map(({ commit, groupInfo, welcome = Buffer.alloc(0) }) =>
      Buffer.concat([commit, groupInfo, welcome]),
    );
    const text = await bob.encrypt("text");
    const proposal = await bob.propose(await firstAddition());
    const attacks = [
      { client: ada, path: "/v9/mls/commit-bundles", bytes: bundles[0] as Buffer },
      { client: tablet, path: "/v9/mls/commit-bundles", bytes: bundles[1] as Buffer },
      { client: bob, path: "/v9/mls/messages", bytes: proposal },
      { client: bob, path: "/v9/mls/messages", bytes: text },
    ];
    const statuses = new Set<number>();
    for (let round = 0; round < rounds; round++) {
      await Promise.all(
        attacks.map(async ({ client, path, bytes }) => {
          const damaged = damage(bytes);
          const startedAt = performance.now();
          const { status } = await client.post(path, damaged);
          statuses.add(status);
          expect(performance.now() - startedAt).toBeLessThan(10_000);
        }),
      );
    }
    expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    expect(statuses).toContain(400);
    // Nobody but members can check the welcome and the membership tag, so a bundle in which these are damaged counts.
    const whole = [before.bytes, good.groupInfo, external.groupInfo].map((bytes) => bytes?.toString("hex"));
    expect(whole).toContain((await ada.groupInfo(id)).bytes?.toString("hex"));

    async function firstAddition() {
      const [one] = await bob.additionsOf((await newMlsClient(bob.user)).user);
      if (one === undefined) throw new Error("No key package");
      return one;
    }
  }, 120_000);
});
