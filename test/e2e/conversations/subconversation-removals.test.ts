import { describe, expect, it } from "vitest";
import { SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { api, outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { setLegalHold } from "../../support/legal-hold-status.ts";
import { type MlsClient, newMlsClient, removal } from "../../support/mls.ts";
import {
  followTo,
  type MlsGroup,
  newMlsGroup,
  newMlsGroupOf,
  newPeople,
  proposalsReach,
} from "../../support/mls-groups.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { subconversationsOf } from "../../support/subconversations.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const { read, end, leave, start, join } = subconversationsOf();
const { store, write } = conversationData();
const context = { dynamo: createDynamo(), config: stackConfig("test"), clock: systemClock };
const groups = new GroupStore(context);
const subconversations = new SubconversationStore(context);

const memberPath = ({ id }: MlsGroup, { user }: MlsClient) =>
  `/v9/conversations/${localDomain}/${id}/members/${localDomain}/${user.id}`;

/** A group with a call in which all of its devices are. */
async function newCall(first: MlsClient, ...others: MlsClient[]) {
  const group = await newMlsGroupOf(first, ...others);
  return { group, inCall: await callIn(group, first, ...others) };
}

async function callIn(group: MlsGroup, first: MlsClient, ...others: MlsClient[]) {
  const inCall = [await start(first, group)] as [MlsClient, ...MlsClient[]];
  for (const other of others) inCall.push(await join(other, group));
  await Promise.all(inCall.map((client) => followTo(client, inCall.length)));
  return inCall;
}

/** The device gets proposals for the call, commits them, and only these devices are in it afterwards. */
async function clearsUp(
  inCall: MlsClient,
  group: MlsGroup,
  { count, left }: { count: number; left: MlsClient[] },
) {
  await proposalsReach(inCall, count);
  await inCall.mustCommit();
  expect(leavesOf(inCall)).toBe(left.length);
  const { members } = (await read(inCall, group)).body;
  expect(members.map((one: { client_id: string }) => one.client_id).sort()).toEqual(
    left.map(({ clientId }) => clientId).sort(),
  );
}

/** A device with key packages for each user. */
async function newClients(...users: User[]): Promise<[MlsClient, MlsClient, MlsClient]> {
  const clients = await Promise.all(users.map((user) => newMlsClient(user, { packages: 3 })));
  return clients as [MlsClient, MlsClient, MlsClient];
}

const leavesOf = ({ state }: MlsClient) =>
  state.ratchetTree.filter((node) => node?.nodeType === "leaf").length;

/** A group of a team with a call, in which all of these devices are. */
async function newTeamCall(team: Team, [first, ...others]: [MlsClient, ...MlsClient[]]) {
  const group = await newMlsGroup(first, { team: { teamid: team.id } });
  await first.add(...new Set(others.map(({ user }) => user)));
  await Promise.all(others.map((other) => followTo(other, 1)));
  return { group, inCall: await callIn(group, first, ...others) };
}

describe.concurrent("the service proposes to remove from a subconversation", () => {
  it("all devices of a member who leaves the conversation", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const phone = await newMlsClient(cleo.user);
    const { group, inCall } = await newCall(ada, bob, cleo, phone);
    expect((await api("DELETE", memberPath(group, cleo), cleo.user)).status).toBe(200);
    await proposalsReach(inCall[0], 2);
    const events = (await ada.notifications()).flatMap(({ payload }) => payload);
    expect(events.filter(({ subconv, from }) => subconv && from === cleo.user.id)).toHaveLength(2 + 2);
    await clearsUp(inCall[0], group, { count: 2, left: [ada, bob] });
    await followTo(inCall[1] as MlsClient, 5);
  });

  it("nobody who was alone in it, because that resets it", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    await start(bob, group);
    const { group_id } = (await read(ada, group)).body;
    expect((await api("DELETE", memberPath(group, bob), bob.user)).status).toBe(200);
    await eventually(async () =>
      expect((await read(ada, group)).body).toMatchObject({ epoch: 0, members: [] }),
    );
    await start(ada, group);
    expect((await read(ada, group)).body.group_id).not.toBe(group_id);
  });

  it("all devices of a member whom a commit removes from the conversation", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const { group, inCall } = await newCall(ada, bob, cleo);
    await ada.mustCommit(removal(cleo.leafIndex));
    await clearsUp(inCall[1] as MlsClient, group, { count: 1, left: [ada, bob] });
    const events = (await bob.notifications()).flatMap(({ payload }) => payload);
    expect(events.filter(({ subconv, from }) => subconv && from === cleo.user.id)).toHaveLength(2);
  });

  it("all devices of a member who is removed from a channel", async () => {
    const team = await newTeam();
    const mates = await Promise.all([team.add(), team.add()]);
    const [owner, bob, cleo] = await newClients(team.owner, ...mates);
    const { group, inCall } = await newTeamCall(team, [owner, bob, cleo]);
    await becomeChannel(group);
    const { token } = owner;
    expect((await api("DELETE", memberPath(group, cleo), { token })).status).toBe(204);
    await clearsUp(inCall[0], group, { count: 1, left: [owner, bob] });
  });

  it("all devices of a deleted account", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const { group, inCall } = await newCall(ada, bob, cleo);
    const { password, token } = cleo.user;
    expect((await api("DELETE", "/v9/self", { token, json: { password } })).status).toBe(200);
    await clearsUp(inCall[0], group, { count: 1, left: [ada, bob] });
  });

  it("a deleted device, in each of several calls", async () => {
    const [ada, bob] = await newPeople(2);
    const phone = await newMlsClient(bob.user);
    const { group, inCall } = await newCall(ada, bob, phone);
    const other = await start(ada, group, "other");
    await join(phone, group, "other");
    await followTo(other, 2);
    const request = { token: bob.user.token, json: { password: bob.user.password } };
    expect((await api("DELETE", `/v9/clients/${phone.clientId}`, request)).status).toBe(200);
    await clearsUp(inCall[0], group, { count: 1, left: [ada, bob] });
    await proposalsReach(other, 1);
    await other.mustCommit();
    expect(leavesOf(other)).toBe(1);
  });

  it("all devices of a guest when the access changes", async () => {
    const team = await newTeam();
    const user = await newUser();
    await connectUsers(team.owner, user);
    const [owner, guest] = await newClients(team.owner, user);
    const { group, inCall } = await newTeamCall(team, [owner, guest]);
    const path = `/v3/conversations/${localDomain}/${group.id}/access`;
    const json = { access: ["invite"], access_role: ["team_member"] };
    expect((await api("PUT", path, { token: owner.token, json })).status).toBe(200);
    await clearsUp(inCall[0], group, { count: 1, left: [owner] });
  });

  it("all devices of a member whom legal hold separates from others", async () => {
    const team = await newTeam();
    const [held, objecting] = await Promise.all([team.add(), team.add()]);
    await setLegalHold(team.owner, "disabled");
    const [owner, mate, other] = await newClients(team.owner, held, objecting);
    const { group, inCall } = await newTeamCall(team, [owner, mate, other]);
    await setLegalHold(held, "enabled");
    await clearsUp(inCall[0], group, { count: 1, left: [owner, mate] });
  });

  it("devices once more, if an external commit has omitted their removal", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const tablet = await newMlsClient(ada.user);
    const group = await newMlsGroupOf(ada, tablet, bob, cleo);
    const inCall = await callIn(group, ada, bob, cleo);
    await Promise.all([bob, cleo].map((client) => leave(client, group)));
    await proposalsReach(inCall[0], 2);
    const tabletInCall = await join(tablet, group);
    await followTo(inCall[0], 4);
    await Promise.all([inCall[0], tabletInCall].map((client) => proposalsReach(client, 2)));
    await clearsUp(tabletInCall, group, { count: 2, left: [ada, tablet] });
    await followTo(inCall[0], 5);
  });

  /** Changes the group as if it were a channel, which only a feature of the team allows to create. */
  async function becomeChannel({ id }: MlsGroup) {
    const conversation = await store.get(id);
    if (conversation === undefined) throw new Error("No conversation");
    await write(store.change(conversation, { fields: { groupType: "channel" } }).writes);
  }
});

describe.concurrent("a subconversation whose conversation is deleted", () => {
  it("is unknown, and nothing of it remains", async () => {
    const team = await newTeam();
    const mate = await team.add();
    const [owner, member] = await newClients(team.owner, mate);
    const { group, inCall } = await newTeamCall(team, [owner, member]);
    const { group_id, epoch } = (await read(owner, group)).body;
    const { token } = owner;
    expect(outcome(await api("DELETE", `/v9/teams/${team.id}/conversations/${group.id}`, { token }))).toBe(
      "200",
    );
    expect(outcome(await read(member, group))).toBe("404 no-conversation");
    expect(outcome(await leave(member, group))).toBe("404 no-conversation");
    expect(outcome(await end(member, group, { group_id, epoch }))).toBe("404 no-conversation");
    expect(outcome(await inCall[0].write("late"))).toBe("404 no-conversation");
    expect(outcome(await inCall[0].commit())).toBe("404 no-conversation");
    await expectErased(group, group_id);
  });

  it("is deleted with its team", async () => {
    const team = await newTeam();
    const owner = await newMlsClient(team.owner, { packages: 3 });
    const { group } = await newTeamCall(team, [owner]);
    const { group_id } = (await read(owner, group)).body;
    const { token, password } = team.owner;
    expect(outcome(await api("DELETE", `/v9/teams/${team.id}`, { token, json: { password } }))).toBe("202");
    await expectErased(group, group_id);
  });

  it("is deleted with the account of its last member", async () => {
    const [ada] = await newPeople(1);
    const { group } = await newCall(ada);
    const { group_id } = (await read(ada, group)).body;
    const { password, token } = ada.user;
    expect((await api("DELETE", "/v9/self", { token, json: { password } })).status).toBe(200);
    await expectErased(group, group_id);
  });

  const expectErased = ({ id }: MlsGroup, groupId: string) =>
    eventually(async () => {
      const key = { conversationId: id, subconversationId: "conference" };
      expect(await subconversations.get(key)).toBeUndefined();
      expect(await groups.get(groupId)).toBeUndefined();
      expect(await groups.pendingProposals(groupId, 1)).toEqual([]);
    });
});
