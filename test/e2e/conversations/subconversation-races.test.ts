import { describe, expect, it } from "vitest";
import { SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { type MlsClient, newMlsClient } from "../../support/mls.ts";
import { followTo, newMlsGroupOf, newPeople, proposalsReach } from "../../support/mls-groups.ts";
import { all, counted, either, only, overtaking, race } from "../../support/races.ts";
import { sharedPrefix } from "../../support/shared-stack.ts";
import { times } from "../../support/soak.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { subconversationsOf } from "../../support/subconversations.ts";
import { newTeam } from "../../support/teams.ts";

const { read, end, leave, start, join } = subconversationsOf();

/** A call of some devices, all of whom are in its last epoch. */
async function newCall(...clients: [MlsClient, ...MlsClient[]]) {
  const [first, ...others] = clients;
  const group = await newMlsGroupOf(first, ...others);
  const inCall = [await start(first, group)] as [MlsClient, ...MlsClient[]];
  for (const other of others) inCall.push(await join(other, group));
  await Promise.all(inCall.map((client) => followTo(client, inCall.length)));
  return { group, inCall };
}

/** A call of two users, with its group id and epoch. */
async function newCallOfTwo() {
  const [ada, bob] = await newPeople(2);
  const { group, inCall } = await newCall(ada, bob);
  const { group_id, epoch } = (await read(ada, group)).body;
  return { ada, bob, group, inCall: inCall as [MlsClient, MlsClient], current: { group_id, epoch } };
}

describe.concurrent("concurrent changes of a subconversation", () => {
  it("let one first commit succeed, and the other devices join its group", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const group = await newMlsGroupOf(ada, bob, cleo);
    const { group_id } = (await read(ada, group)).body;
    const firsts = await Promise.all(
      [ada, bob, cleo].map(async (client) => {
        const inCall = client.within("conference");
        await inCall.create(group_id);
        return { client, inCall, commit: await inCall.prepare() };
      }),
    );
    const answers = await Promise.all(firsts.map(({ inCall, commit }) => inCall.send(commit)));
    expect(counted(answers)).toEqual({ 201: 1, "409 mls-stale-message": 2 });
    const inCall: MlsClient[] = [];
    for (const [index, first] of firsts.entries())
      if (answers[index]?.status === 201) inCall.push(first.inCall);
    for (const [index, { client }] of firsts.entries())
      if (answers[index]?.status !== 201) inCall.push(await join(client, group));
    await Promise.all(inCall.map((client) => followTo(client, 3)));
    expect(new Set(await Promise.all(inCall.map((client) => client.exported()))).size).toBe(1);
  });

  race("let one external commit succeed, and the other device tries again", {
    given: async () => {
      const [ada, bob, cleo] = await newPeople(3);
      const group = await newMlsGroupOf(ada, bob, cleo);
      const adaInCall = await start(ada, group);
      const joining = [bob, cleo].map(async (client) => {
        const inCall = client.within("conference");
        const commit = await inCall.prepareJoin(group.id);
        return { client, joins: () => inCall.send(commit) };
      });
      return { group, adaInCall, joining: await Promise.all(joining) };
    },
    exactly: 2,
    act: ({ joining }, index) => (joining[index] as (typeof joining)[number]).joins(),
    outcomes: only("201", "409 mls-stale-message"),
    holds: async ({ group, adaInCall, joining }, answers) => {
      const loser = joining[answers.findIndex(({ status }) => status !== 201)];
      await join(loser?.client as MlsClient, group);
      await followTo(adaInCall, 3);
    },
  });

  race("never prevent a departure, whoever commits meanwhile, and end with its commit", {
    given: async () => {
      const [ada, bob, cleo] = await newPeople(3);
      const { group, inCall } = await newCall(ada, bob, cleo);
      const [first, second] = inCall as [MlsClient, MlsClient];
      return { ada, cleo, group, first, second, commit: await first.prepare() };
    },
    act: [({ cleo, group }) => leave(cleo, group), ({ first, commit }) => first.send(commit)],
    outcomes: either("200, 201", "200, 400 mls-commit-missing-references"),
    holds: async ({ ada, group, first, second }) => {
      await followTo(second, first.epoch);
      await proposalsReach(second, 1);
      await second.mustCommit();
      await followTo(first, second.epoch);
      expect((await read(ada, group)).body.members).toHaveLength(2);
    },
  });

  race("let either a commit or the end succeed", {
    given: async () => {
      const call = await newCallOfTwo();
      return { ...call, commit: await call.inCall[1].prepare() };
    },
    act: [
      ({ ada, group, current }) => end(ada, group, current),
      ({ inCall, commit }) => inCall[1].send(commit),
    ],
    outcomes: either("200, 400 mls-protocol-error", "409 mls-stale-message, 201"),
    holds: async ({ ada, group }, [ended]) =>
      expect((await read(ada, group)).body.epoch).toBe(ended?.status === 200 ? 0 : 3),
  });

  race("let one of several ends succeed", {
    given: newCallOfTwo,
    contenders: 4,
    act: ({ ada, bob, group, current }, index) => end(index % 2 === 0 ? ada : bob, group, current),
    outcomes: only("200", "404 no-conversation"),
  });

  race("let all devices leave, which resets it", {
    given: async () => {
      const [ada, bob] = await newPeople(2);
      const tablets: MlsClient[] = [];
      for (let index = 0; index < times(1, 4); index++)
        for (const { user } of [ada, bob]) tablets.push(await newMlsClient(user, { packages: 2 }));
      const { group } = await newCall(ada, bob, ...tablets);
      return { ada, all: [ada, bob, ...tablets], group, before: (await read(ada, group)).body.group_id };
    },
    exactly: times(4, 10),
    act: ({ group, ...scene }, index) => leave(scene.all[index] as MlsClient, group),
    outcomes: all("200"),
    holds: async ({ ada, group, before }) => {
      const { body } = await read(ada, group);
      expect(body).toMatchObject({ epoch: 0, members: [] });
      expect(body.group_id).not.toBe(before);
      await start(ada, group);
    },
  });

  race("let either the last departure or a joining device decide whether it continues", {
    given: async () => {
      const [ada, bob] = await newPeople(2);
      const group = await newMlsGroupOf(ada, bob);
      await start(ada, group);
      const inCall = bob.within("conference");
      return {
        ada,
        bob,
        group,
        inCall,
        commit: await inCall.prepareJoin(group.id),
        ...(await read(ada, group)),
      };
    },
    act: [({ ada, group }) => leave(ada, group), ({ inCall, commit }) => inCall.send(commit)],
    outcomes: either("200, 201", "200, 400 mls-protocol-error"),
    holds: async ({ bob, group, inCall, body: { group_id } }, [, joined]) => {
      const { body } = await read(bob, group);
      if (joined?.status === 201) {
        expect(body).toMatchObject({ group_id, epoch: 2, members: [{ client_id: bob.clientId }] });
        await proposalsReach(inCall, 1);
        await inCall.mustCommit();
      } else expect(body).toMatchObject({ epoch: 0, members: [] });
    },
  });

  it("leave no trace of the departure of a device that comes back", async () => {
    const { ada, bob, group, inCall } = await newCallOfTwo();
    for (let round = 0; round < times(1, 3); round++) {
      expect(outcome(await leave(bob, group))).toBe("200");
      const back = await join(bob, group, undefined, { isRejoining: true });
      await followTo(inCall[0], back.epoch);
      await proposalsReach(inCall[0], 0);
      await inCall[0].mustCommit();
      await followTo(back, inCall[0].epoch);
      expect(await back.exported()).toBe(await inCall[0].exported());
      expect((await read(ada, group)).body.members).toHaveLength(2);
    }
  });
});

describe("a subconversation", () => {
  /** A device that is about to join a call in a group of two. */
  async function newJoiner() {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    await start(ada, group);
    const inCall = bob.within("conference");
    return { ada, bob, group, inCall, commit: await inCall.prepareJoin(group.id) };
  }

  const leaveConversation = ({ user }: MlsClient, { id }: { id: string }, publicApi = api) => {
    const path = `/v9/conversations/${localDomain}/${id}/members/${localDomain}/${user.id}`;
    return publicApi("DELETE", path, { token: user.token });
  };

  const stores = ({ group }: { group: { id: string } }) => ({
    action: "TransactWriteItems",
    mentions: `subconversations#${group.id}`,
  });

  const expectOnly = async ({ ada, group }: Awaited<ReturnType<typeof newJoiner>>) =>
    expect((await read(ada, group)).body).toMatchObject({ epoch: 1, members: [{}] });

  it("gets all proposals to remove a user, even if a worker dies half-way", async () => {
    const { publicApi } = await stackWith({ outboxResendSeconds: 1 });
    const [ada, bob, cleo] = await newPeople(3);
    const group = await newMlsGroupOf(ada, bob, cleo);
    const names = ["one", "two"];
    const started = await Promise.all(names.map((name) => start(ada, group, name)));
    for (const [index, name] of names.entries()) {
      await join(bob, group, name);
      await join(cleo, group, name);
      await followTo(started[index] as MlsClient, 3);
    }
    let steps = 0;
    const endFaults = injectFaults(({ action, body }) => {
      if (action !== "TransactWriteItems" || !body.includes("proposal#3#")) return undefined;
      return ++steps === 1 ? "dies-before" : steps === 2 ? "dies-after" : undefined;
    });
    expect(outcome(await leaveConversation(cleo, group, publicApi))).toBe("200");
    await Promise.all(started.map((client) => proposalsReach(client, 1)));
    endFaults();
    expect(steps).toBeGreaterThan(2);
    for (const client of started) await client.mustCommit();
  });

  overtaking("cannot be joined by a user who leaves the conversation at that moment", {
    given: newJoiner,
    act: ({ inCall, commit }): Promise<ApiAnswer> => inCall.send(commit),
    before: stores,
    happens: ({ bob, group }) => leaveConversation(bob, group),
    outcome: "404 no-conversation",
    holds: expectOnly,
  });

  overtaking("cannot be joined by a device that is deleted at that moment", {
    given: newJoiner,
    act: ({ inCall, commit }): Promise<ApiAnswer> => inCall.send(commit),
    before: stores,
    happens: async ({ ada, bob }) => {
      const request = { token: bob.user.token, json: { password: bob.user.password } };
      const path = `/v9/clients/${bob.clientId}`;
      expect(outcome(await api("DELETE", path, request))).toBe("200");
      await proposalsReach(ada, 1);
    },
    holds: async (scene, { answer }) => {
      expect(answer.status).toBe(403);
      await expectOnly(scene);
    },
  });

  overtaking("cannot be begun while its conversation is being deleted", {
    given: async () => {
      const team = await newTeam();
      const owner = await newMlsClient(team.owner);
      const { body } = await createConversation(team.owner, { in: team, protocol: "mls" });
      await owner.create(body.group_id);
      await owner.mustCommit();
      const inCall = owner.within("conference");
      await inCall.create((await read(owner, body)).body.group_id);
      return { team, group: { id: body.id as string }, inCall, commit: await inCall.prepare() };
    },
    act: ({ inCall, commit }): Promise<ApiAnswer> => inCall.send(commit),
    before: stores,
    happens: ({ team, group }) =>
      api("DELETE", `/v9/teams/${team.id}/conversations/${group.id}`, {
        token: team.owner.token,
      }),
    outcome: "404 no-conversation",
    holds: async ({ group }) => {
      const context = { dynamo: createDynamo(), config: stackConfig(sharedPrefix), clock: systemClock };
      const store = new SubconversationStore(context);
      const key = { conversationId: group.id, subconversationId: "conference" };
      await eventually(async () => expect(await store.get(key)).toBeUndefined());
    },
  });
});
