import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { type MlsClient, newMlsClient } from "../../support/mls.ts";
import { followTo, newMlsGroupOf, newPeople, proposalsReach } from "../../support/mls-groups.ts";
import { subconversationsOf } from "../../support/subconversations.ts";

const { read, end, leave, start, join } = subconversationsOf();

const counts = (answers: readonly Parameters<typeof outcome>[0][]) =>
  Object.fromEntries(
    [...Map.groupBy(answers.map(outcome), (one) => one)].map(([name, { length }]) => [name, length]),
  );

/** A call of some devices, all of whom are in its last epoch. */
async function newCall(...clients: [MlsClient, ...MlsClient[]]) {
  const [first, ...others] = clients;
  const group = await newMlsGroupOf(first, ...others);
  const inCall = [await start(first, group)] as [MlsClient, ...MlsClient[]];
  for (const other of others) inCall.push(await join(other, group));
  await Promise.all(inCall.map((client) => followTo(client, inCall.length)));
  return { group, inCall };
}

describe.concurrent("concurrent changes of a subconversation", () => {
  it("let one first commit succeed, and the other devices join its group", async () => {
    const clients = await newPeople(4).then(([ada, bob, cleo, dora]) => [ada, bob, cleo, dora] as const);
    const group = await newMlsGroupOf(...clients);
    const { group_id } = (await read(clients[0], group)).body;
    const firsts = await Promise.all(
      clients.map(async (client) => {
        const inCall = client.within("conference");
        await inCall.create(group_id);
        return { inCall, commit: await inCall.prepare() };
      }),
    );
    const answers = await Promise.all(firsts.map(({ inCall, commit }) => inCall.send(commit)));
    expect(counts(answers)).toEqual({ 201: 1, "409 mls-stale-message": 3 });
    const winner = answers.findIndex(({ status }) => status === 201);
    const inCall = [firsts[winner]?.inCall as MlsClient];
    for (const client of clients.filter((_, index) => index !== winner))
      inCall.push(await join(client, group));
    await Promise.all(inCall.map((client) => followTo(client, 4)));
    expect(new Set(await Promise.all(inCall.map((client) => client.exported()))).size).toBe(1);
  });

  it("let one external commit succeed, and the other device tries again", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const group = await newMlsGroupOf(ada, bob, cleo);
    const adaInCall = await start(ada, group);
    const joining = await Promise.all(
      [bob, cleo].map(async (client) => {
        const inCall = client.within("conference");
        return { inCall, commit: await inCall.prepareJoin(group.id) };
      }),
    );
    const answers = await Promise.all(joining.map(({ inCall, commit }) => inCall.send(commit)));
    expect(counts(answers)).toEqual({ 201: 1, "409 mls-stale-message": 1 });
    const loser = answers[0]?.status === 201 ? cleo : bob;
    await join(loser, group);
    await followTo(adaInCall, 3);
  });

  it("never prevent a departure, whoever commits meanwhile, and end with its commit", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const { group, inCall } = await newCall(ada, bob, cleo);
    const commit = await inCall[0].prepare();
    const [left, committed] = await Promise.all([leave(cleo, group), inCall[0].send(commit)]);
    expect(outcome(left)).toBe("200");
    expect(["201", "400 mls-commit-missing-references"]).toContain(outcome(committed));
    await followTo(inCall[1] as MlsClient, inCall[0].epoch);
    await proposalsReach(inCall[1] as MlsClient, 1);
    await (inCall[1] as MlsClient).mustCommit();
    await followTo(inCall[0], (inCall[1] as MlsClient).epoch);
    const { members } = (await read(ada, group)).body;
    expect(members).toHaveLength(2);
  });

  it("let either a commit or the end succeed", async () => {
    const [ada, bob] = await newPeople(2);
    const { group, inCall } = await newCall(ada, bob);
    const { group_id, epoch } = (await read(ada, group)).body;
    const commit = await inCall[1]?.prepare();
    if (commit === undefined) throw new Error("No commit");
    const [ended, committed] = await Promise.all([
      end(ada, group, { group_id, epoch }),
      (inCall[1] as MlsClient).send(commit),
    ]);
    expect(["200/400 mls-protocol-error", "409 mls-stale-message/201"]).toContain(
      `${outcome(ended)}/${outcome(committed)}`,
    );
    const { body } = await read(ada, group);
    expect(body.epoch).toBe(ended.status === 200 ? 0 : 3);
  });

  it("let one of several ends succeed", async () => {
    const [ada, bob] = await newPeople(2);
    const { group } = await newCall(ada, bob);
    const { group_id, epoch } = (await read(ada, group)).body;
    const answers = await Promise.all(
      [ada, bob, ada, bob].map((one) => end(one, group, { group_id, epoch })),
    );
    expect(counts(answers)).toEqual({ 200: 1, "404 no-conversation": 3 });
  });

  it("let all devices leave, which resets it", async () => {
    const [ada, bob] = await newPeople(2);
    const others = await Promise.all(
      [ada, ada, ada, ada, bob, bob, bob, bob].map(({ user }) => newMlsClient(user, { packages: 2 })),
    );
    const { group } = await newCall(ada, bob, ...others);
    const { group_id } = (await read(ada, group)).body;
    const answers = await Promise.all([ada, bob, ...others].map((client) => leave(client, group)));
    expect(counts(answers)).toEqual({ 200: 10 });
    const { body } = await read(ada, group);
    expect(body).toMatchObject({ epoch: 0, members: [] });
    expect(body.group_id).not.toBe(group_id);
    await start(ada, group);
  });

  it("let either the last departure or a joining device decide whether it continues", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    await start(ada, group);
    const { group_id } = (await read(ada, group)).body;
    const bobInCall = bob.within("conference");
    const commit = await bobInCall.prepareJoin(group.id);
    const [left, joined] = await Promise.all([leave(ada, group), bobInCall.send(commit)]);
    expect(outcome(left)).toBe("200");
    expect(["201", "400 mls-protocol-error"]).toContain(outcome(joined));
    const { body } = await read(bob, group);
    if (joined.status === 201) {
      expect(body).toMatchObject({ group_id, epoch: 2, members: [{ client_id: bob.clientId }] });
      await proposalsReach(bobInCall, 1);
      await bobInCall.mustCommit();
    } else expect(body).toMatchObject({ epoch: 0, members: [] });
  });

  it("leave no trace of the departure of a device that comes back", async () => {
    const [ada, bob] = await newPeople(2);
    const { group, inCall } = await newCall(ada, bob);
    for (let round = 0; round < 3; round++) {
      expect(outcome(await leave(bob, group))).toBe("200");
      const back = await join(bob, group);
      await eventually(async () => {
        await inCall[0].catchUp();
        expect(inCall[0].epoch).toBe(back.epoch);
      });
      await proposalsReach(inCall[0], 1);
      await inCall[0].mustCommit();
      await followTo(back, inCall[0].epoch);
      expect(await back.exported()).toBe(await inCall[0].exported());
      expect((await read(ada, group)).body.members).toHaveLength(2);
    }
  });
});
