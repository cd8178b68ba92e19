import { describe, expect, it } from "vitest";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { type MlsClient, newMlsClient, removal } from "../../support/mls.ts";
import { followTo, proposalsReach } from "../../support/mls-groups.ts";
import { ownStack } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const stack = await ownStack();
const { publicApi } = stack;
const groups = new GroupStore({
  dynamo: createDynamo(),
  config: stackConfig(stack.prefix),
  clock: systemClock,
});

const newDevice = (user: User) => newMlsClient(user, { packages: 2, publicApi, prefix: stack.prefix });

async function newPair() {
  const users = await Promise.all([newUser({}, stack), newUser({}, stack)]);
  const [ada, bob] = (await Promise.all(users.map(newDevice))) as [MlsClient, MlsClient];
  await connectUsers(ada.user, bob.user, stack);
  return [ada, bob] as const;
}

async function newGroup(ada: MlsClient, bob: MlsClient, team?: Team) {
  const { body } = await createConversation(ada.user, { protocol: "mls", in: team }, stack);
  await ada.create(body.group_id);
  await ada.add(bob.user);
  await followTo(bob, 1);
  return { id: body.id as string, groupId: body.group_id as string };
}

/** Kinds of the items that are stored of a group. */
async function storedOf(groupId: string): Promise<string[]> {
  const { conversations = [] } = await itemsMentioning(`mls-group#${groupId}`, stack.prefix, [
    "conversations",
  ]);
  return conversations.map(({ entry }) => String(entry).replace(/#.*/, "")).sort();
}

const untilErased = (groupId: string) => eventually(async () => expect(await storedOf(groupId)).toEqual([]));

async function deleteAccount({ user: { password, token } }: MlsClient) {
  expect((await publicApi("DELETE", "/v9/self", { token, json: { password } })).status).toBe(200);
}

describe.concurrent("the stored data of an MLS group", () => {
  it("consists of one state, the one before it, and the open proposals, after any number of commits", async () => {
    const [ada, bob] = await newPair();
    const { groupId } = await newGroup(ada, bob);
    for (let count = 0; count < 3; count++) {
      await ada.mustCommit();
      await followTo(bob, ada.epoch);
      await bob.post("/v9/mls/messages", await bob.propose(removal(ada.leafIndex)));
      await proposalsReach(ada, 1);
      const tablet = await newDevice(bob.user);
      tablet.groupInfo = async () => ({ status: 200, bytes: await ada.groupInfoOf(ada.state) });
      expect(outcome(await tablet.send(await tablet.prepareJoin("")))).toBe("201");
      await Promise.all([ada, bob].map((client) => followTo(client, tablet.epoch)));
    }
    await bob.post("/v9/mls/messages", await bob.propose(removal(ada.leafIndex)));
    const [leaves, info, proposal] = ["group-leaves", "info", "proposal"];
    await eventually(async () =>
      expect(await storedOf(groupId)).toEqual(["group", leaves, leaves, info, info, proposal, proposal]),
    );
  });

  it("is erased when the group is reset", async () => {
    const [ada, bob] = await newPair();
    const { groupId } = await newGroup(ada, bob);
    const json = { group_id: groupId, epoch: 1 };
    expect(
      outcome(await publicApi("POST", "/v9/mls/reset-conversation", { token: ada.user.token, json })),
    ).toBe("200");
    await untilErased(groupId);
  });

  it("is erased with the conversation, and with the team", async () => {
    const team = await newTeam({}, stack);
    const mate = await team.add();
    const [owner, member] = await Promise.all([newDevice(team.owner), newDevice(mate)]);
    const [first, second] = [await newGroup(owner, member, team), await newGroup(owner, member, team)];
    const { token, password } = team.owner;
    const path = `/v9/teams/${team.id}`;
    expect((await publicApi("DELETE", `${path}/conversations/${first.id}`, { token })).status).toBe(200);
    await untilErased(first.groupId);
    expect(await storedOf(second.groupId)).toEqual(["group", "group-leaves", "info"]);
    expect((await publicApi("DELETE", path, { token, json: { password } })).status).toBe(202);
    await untilErased(second.groupId);
  });

  it("is erased with the last account, as are the groups of its own devices", async () => {
    const [ada, bob] = await newPair();
    const { groupId } = await newGroup(ada, bob);
    const { body } = await publicApi("GET", "/v9/conversations/mls-self", { token: ada.user.token });
    await ada.create(body.group_id);
    await ada.mustCommit();
    await deleteAccount(ada);
    await untilErased(body.group_id);
    await proposalsReach(bob, 1);
    await bob.mustCommit();
    const leaves = [...((await groups.get(groupId))?.leaves.values() ?? [])];
    expect(leaves.map(({ userId }) => userId)).toEqual([bob.user.id]);
    await deleteAccount(bob);
    await untilErased(groupId);
  });

  it("lacks a deleted device after the next commit, and its key packages immediately", async () => {
    const [ada, bob] = await newPair();
    const tablet = await newDevice(bob.user);
    const { groupId } = await newGroup(ada, bob);
    const { password, token } = bob.user;
    const packages = () =>
      itemsMentioning(`${bob.user.id}#${tablet.clientId}`, stack.prefix, ["key-packages"]);
    expect(await packages()).not.toEqual({});
    const answer = await publicApi("DELETE", `/v9/clients/${tablet.clientId}`, { token, json: { password } });
    expect(answer.status).toBe(200);
    expect(await packages()).toEqual({});
    await proposalsReach(ada, 1);
    await ada.mustCommit();
    const leaves = [...((await groups.get(groupId))?.leaves.values() ?? [])];
    expect(leaves.map(({ clientId }) => clientId)).toEqual([ada.clientId, bob.clientId]);
  });
});
