import { describe, expect, it } from "vitest";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { api, outcome } from "../../support/api.ts";
import { connectUsers, localDomain, updateConnection } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { switchLegalHold } from "../../support/legal-hold.ts";
import { startLegalHoldService } from "../../support/legal-hold-service.ts";
import { type MlsClient, newMlsClient } from "../../support/mls.ts";
import { followTo, newPeople, proposalsReach, readUntil } from "../../support/mls-groups.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { subconversationsOf } from "../../support/subconversations.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, somePassword, type User } from "../../support/users.ts";

const { store } = conversationData();
const calls = subconversationsOf();
const groups = new GroupStore({ dynamo: createDynamo(), config: stackConfig("test"), clock: systemClock });

const show = ({ token }: Pick<User, "token">, { id }: Pick<User, "id">) =>
  api("GET", `/v9/one2one-conversations/${localDomain}/${id}`, { token });

/** Begin the MLS conversation of two users, each with one device. */
async function begin(ada: MlsClient, bob: MlsClient) {
  const { body } = await show(ada.user, bob.user);
  const { id, group_id: groupId } = body.conversation;
  await ada.create(groupId);
  await ada.add(bob.user);
  await followTo(bob, 1);
  return { id: id as string, groupId: groupId as string };
}

const membersOf = async (id: string) =>
  new Set((await store.getPopulated(id))?.members.map(({ userId }) => userId));

async function listedOf({ token }: User): Promise<string[]> {
  const { body } = await api("POST", "/v9/conversations/list-ids", { token, json: {} });
  return body.qualified_conversations.map(({ id }: { id: string }) => id);
}

describe.concurrent("the MLS conversation of two users", () => {
  it("is shown to both with its state, once it has begun", async () => {
    const [ada, bob] = await newPeople(2);
    const before = await show(bob.user, ada.user);
    expect(before.body.conversation).toMatchObject({
      epoch: 0,
      members: { self: { conversation_role: "svc_member" }, others: [] },
    });
    const { id, groupId } = await begin(ada, bob);
    for (const [one, other] of [
      [ada, bob],
      [bob, ada],
    ] as const)
      expect((await show(one.user, other.user)).body.conversation).toMatchObject({
        id,
        group_id: groupId,
        epoch: 1,
        cipher_suite: 1,
        members: { self: { id: one.user.id }, others: [{ id: other.user.id }] },
      });
  });

  it("loses a user who blocks the other one, silently, until the block ends", async () => {
    const [ada, bob] = await newPeople(2);
    const { id } = await begin(ada, bob);
    const seen = await eventually(async () => {
      const events = await ada.eventsOf(id);
      expect(events).toContain("conversation.member-join");
      return events;
    });
    expect(outcome(await updateConnection(bob.user, ada.user, "blocked"))).toBe("200");
    expect(await membersOf(id)).toEqual(new Set([ada.user.id]));
    expect(await listedOf(bob.user)).not.toContain(id);
    expect(outcome(await show(ada.user, bob.user))).toBe("403 not-connected");
    expect(outcome(await show(bob.user, ada.user))).toBe("403 not-connected");
    const heard = await bob.eventsOf(id);

    expect(outcome(await ada.write("into the void"))).toBe("201");
    await ada.mustCommit();
    expect(outcome(await bob.write("from the void"))).toBe("404 no-conversation");
    expect((await bob.groupInfo(id)).status).toBe(404);
    expect(outcome(await bob.commit())).toBe("404 no-conversation");
    expect(await ada.eventsOf(id)).toEqual(seen);

    expect(outcome(await updateConnection(bob.user, ada.user, "accepted"))).toBe("200");
    expect(await membersOf(id)).toEqual(new Set([ada.user.id, bob.user.id]));
    expect((await show(bob.user, ada.user)).body.conversation).toMatchObject({ id, epoch: 2 });
    await eventually(async () =>
      expect((await bob.eventsOf(id)).slice(heard.length)).toEqual(["conversation.member-join"]),
    );
    expect(outcome(await bob.send(await bob.prepareJoin(id, { isRejoining: true })))).toBe("201");
    await followTo(ada, 3);
    await ada.write("are you there?");
    await readUntil(bob, ["are you there?"]);
  });

  it("lets nobody stay in a call with a user whom they block", async () => {
    const [ada, bob] = await newPeople(2);
    const { id, groupId } = await begin(ada, bob);
    const adaInCall = await calls.start(ada, { id });
    const bobInCall = await calls.join(bob, { id });
    await followTo(adaInCall, 2);
    const heard = await bob.eventsOf(id);
    expect(outcome(await updateConnection(bob.user, ada.user, "blocked"))).toBe("200");
    expect(outcome(await adaInCall.write("into the void"))).toBe("201");
    expect(outcome(await bobInCall.write("from the void"))).toBe("404 no-conversation");
    expect((await bobInCall.groupInfo(id)).status).toBe(404);
    await proposalsReach(adaInCall, 1);
    await adaInCall.mustCommit();
    expect((await calls.read(ada, { id })).body.members).toMatchObject([{ client_id: ada.clientId }]);
    expect(
      [...((await groups.get(groupId))?.leaves.values() ?? [])].map(({ isLeaving }) => isLeaving),
    ).toEqual([undefined, undefined]);
    expect(await bob.eventsOf(id)).toEqual(heard);

    expect(outcome(await updateConnection(bob.user, ada.user, "accepted"))).toBe("200");
    const again = await calls.join(bob, { id });
    await followTo(adaInCall, 4);
    expect(await adaInCall.exported()).toBe(await again.exported());
  });

  it("loses devices that are deleted during a block when the block ends", async () => {
    const [ada, bob] = await newPeople(2);
    const tablet = await newMlsClient(bob.user);
    const { id, groupId } = await begin(ada, bob);
    await updateConnection(bob.user, ada.user, "blocked");
    const request = { token: bob.user.token, json: { password: bob.user.password } };
    expect((await api("DELETE", `/v9/clients/${tablet.clientId}`, request)).status).toBe(200);
    await updateConnection(bob.user, ada.user, "accepted");
    await proposalsReach(ada, 1);
    await ada.mustCommit();
    const leaves = [...((await groups.get(groupId))?.leaves.values() ?? [])];
    expect(leaves.map(({ clientId }) => clientId)).toEqual([ada.clientId, bob.clientId]);
    expect(await membersOf(id)).toHaveLength(2);
  });

  it("loses the devices of a user who deletes the account during a block", async () => {
    const [ada, bob] = await newPeople(2);
    const { id, groupId } = await begin(ada, bob);
    await updateConnection(bob.user, ada.user, "blocked");
    const { password, token } = bob.user;
    expect((await api("DELETE", "/v9/self", { token, json: { password } })).status).toBe(200);
    await proposalsReach(ada, 1);
    await ada.mustCommit();
    expect([...((await groups.get(groupId))?.leaves.values() ?? [])]).toHaveLength(1);
    const own = { token: ada.user.token, json: { password } };
    expect((await api("DELETE", "/v9/self", own)).status).toBe(200);
    await eventually(async () => {
      expect(await store.get(id)).toBeUndefined();
      expect(await groups.get(groupId)).toBeUndefined();
    });
  });
});

describe("legal hold", () => {
  it("removes both users from their MLS conversation while it separates them", async () => {
    const [team, service] = await Promise.all([newTeam(), startLegalHoldService()]);
    await switchLegalHold(team, "enabled");
    const { token } = team.owner;
    const path = `/v9/teams/${team.id}/legalhold`;
    await api("POST", `${path}/settings`, { token, json: service.registration });
    const [member, friend] = await Promise.all([team.add(), newUser()]);
    await connectUsers(member, friend);
    const [held, other] = await Promise.all([member, friend].map((user) => newMlsClient(user)));
    if (held === undefined || other === undefined) throw new Error("No devices");
    await api("POST", `${path}/consent`, { token: member.token });
    // Legal hold cannot be requested for members of MLS groups, but they can become members while it is pending.
    const additions = await other.additionsOf(member);
    expect((await api("POST", `${path}/${member.id}`, { token })).status).toBe(201);
    const { id, group_id: groupId } = (await show(friend, member)).body.conversation;
    await other.create(groupId);
    await other.mustCommit(...additions);
    const approval = { token: member.token, json: { password: somePassword } };
    expect(outcome(await api("PUT", `${path}/${member.id}/approve`, approval))).toBe("200");
    await eventually(async () => expect(await membersOf(id)).toEqual(new Set()));
    expect(outcome(await show(friend, member))).toBe("403 not-connected");
    expect(outcome(await other.write("hello?"))).toBe("404 no-conversation");
    const ending = { token, json: { password: somePassword } };
    expect(outcome(await api("DELETE", `${path}/${member.id}`, ending))).toBe("200");
    await eventually(async () => expect(await membersOf(id)).toEqual(new Set([member.id, friend.id])));
    expect((await show(friend, member)).body.conversation).toMatchObject({ id, epoch: 1 });
  });
});
