import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newMlsClient } from "../../support/mls.ts";
import { newAttacks } from "../../support/mls-attacks.ts";
import { newMlsGroup, newPeople } from "../../support/mls-groups.ts";
import { mutate, newMutations } from "../../support/mls-mutations.ts";

/** `npm run soak` sends many more of them. */
const count = 200;

describe.concurrent("damaged messages", () => {
  it("are refused, or accepted without harm, but never fail or take long", async () => {
    const seed = randomInt(2 ** 31);
    const [admin, bob, cleo, guest] = await newPeople(4);
    const further = await newMlsClient(admin.user, { packages: 0 });
    const prepare = async () => {
      const { id } = await newMlsGroup(admin);
      const attacks = await newAttacks(id, { admin, members: [bob, cleo], guest, further });
      return { id, attacks, before: await admin.groupInfo(id) };
    };
    let { id, before, attacks } = await prepare();
    const statuses = new Set<number>();
    for (const [number, mutation] of newMutations(seed, count).entries()) {
      const attack = attacks[number % attacks.length] as (typeof attacks)[number];
      const startedAt = performance.now();
      const { status } = await attack.client.post(attack.path, mutate(attack, mutation, attacks));
      const about = `mutation ${number} of seed ${seed}: ${attack.name}, ${JSON.stringify(mutation)}`;
      expect(status, about).toBeLessThan(500);
      expect(performance.now() - startedAt, about).toBeLessThan(10_000);
      statuses.add(status);
      if (status !== 201 || attack.name === "text") continue;
      // Nobody but members can check the welcome and the membership tag, so a bundle in which these are damaged counts.
      const whole = [before.bytes, ...attacks.map(({ parts }) => parts[1])].map((bytes) =>
        bytes?.toString("hex"),
      );
      expect(whole, about).toContain((await admin.groupInfo(id)).bytes?.toString("hex"));
      ({ id, before, attacks } = await prepare());
    }
    expect([...statuses].toSorted()).toEqual(expect.arrayContaining([201, 400, 422]));
    expect((await admin.groupInfo(id)).bytes).toEqual(before.bytes);
  }, 120_000);
});
