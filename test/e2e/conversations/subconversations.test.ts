import type { Proposal } from "ts-mls";
import { describe, expect, it } from "vitest";
import { newGroupId } from "#shared/conversations/group-id.ts";
import { maxSubconversations, SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { setLegalHold } from "../../support/legal-hold-status.ts";
import { addition, type MlsClient, newMlsClient, removal } from "../../support/mls.ts";
import {
  followTo,
  newMlsGroup,
  newMlsGroupOf,
  newPeople,
  proposalsReach,
  readUntil,
} from "../../support/mls-groups.ts";
import { openSocket } from "../../support/socket.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { subconversationPath, subconversationsOf } from "../../support/subconversations.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

const { read, end, leave, start, join } = subconversationsOf();
const { store, write } = conversationData();
const subconversations = new SubconversationStore({
  dynamo: createDynamo(),
  config: stackConfig("test"),
  clock: systemClock,
});

const identityOf = ({ user, clientId }: MlsClient) => ({
  domain: localDomain,
  user_id: user.id,
  client_id: clientId,
});

const eventsIn = async (client: MlsClient) =>
  (await client.notifications()).flatMap(({ payload }) => payload).filter(({ subconv }) => subconv);

describe.concurrent.each([0x0001, 0x0002, 0x0005, 0x0007, 0xf031])("a call of cipher suite %i", (suite) => {
  it("is begun, joined, left, joined again and ended, and only the devices in it share its secrets", async () => {
    const [ada, bob, cleo] = await newPeople(3, suite);
    const group = await newMlsGroupOf(ada, bob, cleo);
    const { body: before } = await read(bob, group);
    expect(before).toEqual({
      parent_qualified_id: { domain: localDomain, id: group.id },
      subconv_id: "conference",
      group_id: expect.any(String),
      epoch: 0,
      members: [],
    });
    expect((await read(cleo, group)).body).toEqual(before);

    const socket = await openSocket("/await", { token: ada.token, query: { client: ada.clientId } });
    const adaInCall = await start(ada, group);
    expect((await read(bob, group)).body).toEqual({
      ...before,
      epoch: 1,
      epoch_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      cipher_suite: suite,
      members: [identityOf(ada)],
    });
    const bobInCall = await join(bob, group);
    const { payload } = await socket.next((frame) => frame.payload?.[0].subconv === "conference");
    expect(payload).toEqual([
      {
        type: "conversation.mls-message-add",
        conversation: group.id,
        qualified_conversation: { domain: localDomain, id: group.id },
        subconv: "conference",
        from: bob.user.id,
        qualified_from: { domain: localDomain, id: bob.user.id },
        time: expect.any(String),
        via: "user",
        data: expect.any(String),
      },
    ]);
    await adaInCall.handle(payload[0]);
    expect(await adaInCall.exported()).toBe(await bobInCall.exported());
    expect(outcome(await adaInCall.write("hello"))).toBe("201");
    await readUntil(bobInCall, ["hello"]);
    expect(await eventsIn(cleo)).toEqual([]);

    const former = await adaInCall.exported();
    expect(outcome(await leave(bob, group))).toBe("200");
    expect((await read(bob, group)).body.members).toEqual([identityOf(ada)]);
    expect(outcome(await bobInCall.write("late"))).toBe("400 mls-client-sender-user-mismatch");
    await followTo(adaInCall, 2);
    await proposalsReach(adaInCall, 1);
    const proposed = (await eventsIn(ada)).at(-1);
    expect(proposed).toMatchObject({ from: bob.user.id, subconv: "conference" });
    // Users who are only in the conversation are told, too.
    await eventually(async () => expect(await eventsIn(cleo)).toEqual([proposed]));
    expect((await adaInCall.mustCommit()).body.events).toEqual([]);
    expect(await adaInCall.exported()).not.toBe(former);

    const again = await join(bob, group);
    await followTo(adaInCall, 4);
    expect(await adaInCall.exported()).toBe(await again.exported());
    await again.write("back");
    await readUntil(adaInCall, ["back"]);

    const { group_id, epoch } = (await read(cleo, group)).body;
    const ended = await end(cleo, group, { group_id, epoch });
    expect([outcome(ended), ended.body]).toEqual(["200", []]);
    const { body: after } = await read(ada, group);
    expect(after).toEqual({ ...before, group_id: expect.any(String) });
    expect(after.group_id).not.toBe(group_id);
    expect(outcome(await adaInCall.write("late"))).toBe("400 mls-protocol-error");
    expect((await adaInCall.groupInfo(group.id)).status).toBe(404);
    await start(bob, group);
    expect((await read(ada, group)).body).toMatchObject({ group_id: after.group_id, epoch: 1 });
    expect(await ada.eventsOf(group.id)).not.toContain("conversation.member-leave");
  });
});

describe.concurrent("a subconversation", () => {
  it("takes back a device that has lost its state, and removes its former leaf", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const adaInCall = await start(ada, group);
    await join(bob, group);
    const back = bob.within("conference");
    expect(outcome(await back.send(await back.prepareJoin(group.id)))).toBe("400 mls-protocol-error");
    expect(outcome(await back.send(await back.prepareJoin(group.id, { isRejoining: true })))).toBe("201");
    await followTo(adaInCall, 3);
    expect(await adaInCall.exported()).toBe(await back.exported());
    const { body } = await read(ada, group);
    expect(body.members).toEqual([ada, bob].map(identityOf));
  });

  it("is one of several that have nothing in common", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const names = ["conference", "a b/c?%", "~".repeat(255)];
    const calls = await Promise.all(names.map((name) => start(ada, group, name)));
    for (const [index, name] of names.entries()) {
      const bobInCall = await join(bob, group, name);
      await followTo(calls[index] as MlsClient, 2);
      await bobInCall.write(`in ${name}`);
      await readUntil(calls[index] as MlsClient, [`in ${name}`]);
      expect((await read(ada, group, name)).body.subconv_id).toBe(name);
    }
    for (const name of ["x".repeat(256), "é", "\n"])
      expect(outcome(await read(ada, group, name))).toBe("400 bad-request");
  });

  it("is one of 100 at most that exist at a time, and takes the place of one with a single participant", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const inUse = await start(ada, group);
    await join(bob, group);
    await start(bob, group, "alone");
    const stored = await subconversations.get({ conversationId: group.id, subconversationId: "conference" });
    if (stored === undefined) throw new Error("No subconversation");
    for (let number = 3; number <= maxSubconversations; number++) {
      const other = { ...stored, subconversationId: `call ${number}`, revision: 0 };
      await write(subconversations.change(other, stored.group).writes);
    }
    const begun = await start(ada, group, "another");
    expect((await read(ada, group, "alone")).body.epoch).toBe(0);
    expect((await subconversations.survey(group.id)).living).toHaveLength(maxSubconversations);
    const next = bob.within("one too many");
    await next.create((await read(bob, group, "one too many")).body.group_id);
    expect(outcome(await next.commit())).toBe("201");
    await followTo(inUse, 2);
    await expect(begun.commit()).resolves.toMatchObject({ status: 400 });
    const full = bob.within("no room");
    await full.create((await read(bob, group, "no room")).body.group_id);
    // Every call that is left has more than one participant.
    await join(ada, group, "one too many");
    const refused = await full.commit();
    expect([outcome(refused), refused.body.message]).toEqual([
      "400 mls-protocol-error",
      "The conversation has too many subconversations",
    ]);
  });

  it("costs the others one message for each departure and each return of a device", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const adaInCall = await start(ada, group);
    await join(bob, group);
    await followTo(adaInCall, 2);
    for (let round = 1; round <= 5; round++) {
      expect(outcome(await leave(bob, group))).toBe("200");
      const without = bob.within("conference");
      const keeping = await without.prepareJoin(group.id);
      expect(outcome(await without.send(keeping))).toBe("400 mls-protocol-error");
      await join(bob, group, undefined, { isRejoining: true });
      await followTo(adaInCall, 2 + round);
    }
    const messages = (await eventsIn(ada)).filter(({ type }) => type === "conversation.mls-message-add");
    expect(messages.length).toBeLessThanOrEqual(1 + 2 * 5);
    expect(adaInCall.state.ratchetTree.filter((node) => node?.nodeType === "leaf")).toHaveLength(2);
    expect((await read(ada, group)).body.members).toHaveLength(2);
  });

  it("refuses a second proposal to the same effect", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const adaInCall = await start(ada, group);
    const bobInCall = await join(bob, group);
    await followTo(adaInCall, 2);
    const propose = async (client: MlsClient, proposal: Proposal) =>
      outcome(await client.post("/v9/mls/messages", await client.propose(proposal)));
    expect(await propose(bobInCall, removal(adaInCall.leafIndex))).toBe("201");
    expect(await propose(bobInCall, removal(adaInCall.leafIndex))).toBe("400 mls-protocol-error");
  });

  it("belongs to a group or to two users, but not to other conversations", async () => {
    const [ada, bob] = await newPeople(2);
    const self = await api("GET", "/v9/conversations/mls-self", ada.user);
    expect(outcome(await read(ada, { id: self.body.id }))).toBe("403 mls-subconv-unsupported-convtype");
    const proteus = await newConversation([ada.user]);
    expect(outcome(await read(ada, proteus))).toBe("404 no-conversation");
    expect(outcome(await read(ada, { id: crypto.randomUUID() }))).toBe("404 no-conversation");

    const path = `/v9/one2one-conversations/${localDomain}/${bob.user.id}`;
    const { conversation } = (await api("GET", path, ada.user)).body;
    await ada.create(conversation.group_id);
    await ada.add(bob.user);
    await followTo(bob, 1);
    const adaInCall = await start(ada, conversation);
    const bobInCall = await join(bob, conversation);
    await followTo(adaInCall, 2);
    expect(await adaInCall.exported()).toBe(await bobInCall.exported());
    await adaInCall.write("hello");
    await readUntil(bobInCall, ["hello"]);
    expect(outcome(await leave(bob, conversation))).toBe("200");
    await proposalsReach(adaInCall, 1);
    await adaInCall.mustCommit();
  });

  it("is not available until a migration to MLS has ended", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const { body } = await read(ada, group);
    const conversation = await store.get(group.id);
    if (conversation === undefined) throw new Error("No conversation");
    await write(store.change(conversation, { fields: { protocol: "mixed" } }).writes);
    expect(outcome(await read(ada, group))).toBe("403 mls-subconv-unsupported-convtype");
    const inCall = ada.within("conference");
    await inCall.create(body.group_id);
    expect(outcome(await inCall.commit())).toBe("400 mls-protocol-error");
  });

  it("is unknown to people outside the conversation", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const adaInCall = await start(ada, group);
    const stranger = await newMlsClient(await newUser(), { packages: 0 });
    expect(outcome(await read(stranger, group))).toBe("403 access-denied");
    expect(outcome(await leave(stranger, group))).toBe("403 access-denied");
    const { group_id, epoch } = (await read(ada, group)).body;
    expect(outcome(await end(stranger, group, { group_id, epoch }))).toBe("403 access-denied");
    const { token } = stranger;
    const info = await api("GET", `${subconversationPath(group)}/groupinfo`, { token });
    expect(outcome(info)).toBe("404 no-conversation");
    expect(outcome(await stranger.post("/v9/mls/messages", await adaInCall.encrypt("x")))).toBe(
      "404 no-conversation",
    );
    const { commit, groupInfo } = await adaInCall.prepare();
    const bundle = Buffer.concat([commit, groupInfo]);
    expect(outcome(await stranger.post("/v9/mls/commit-bundles", bundle))).toBe("404 no-conversation");
  });

  it("is served in version 8, too, but not without MLS", async () => {
    const [ada] = await newPeople(1);
    const group = await newMlsGroup(ada);
    await ada.mustCommit();
    await start(ada, group);
    const path = subconversationPath(group).replace("/v9/", "/v8/");
    const { token } = ada;
    const { group_id, epoch } = (await api("GET", path, { token })).body;
    expect(outcome(await api("DELETE", path, { token, json: { group_id, epoch } }))).toBe("200");

    const stack = await stackWith({ setEnableMLS: false });
    const user = await newUser({}, stack);
    const of = subconversationsOf(stack);
    const place = { id: crypto.randomUUID() };
    expect(outcome(await of.read(user, place))).toBe("400 mls-not-enabled");
    expect(outcome(await of.leave(user, place))).toBe("400 mls-not-enabled");
    expect(outcome(await of.end(user, place, { group_id: "", epoch: 0 }))).toBe("400 mls-not-enabled");
  });
});

describe.concurrent("a commit to a subconversation", () => {
  it("is first made by a member, for the group id that the service has given", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const inCall = bob.within("conference");
    const reference = { conversationId: group.id, subconversationId: "conference", domain: localDomain };
    await inCall.create(newGroupId({ ...reference, type: "regular", generation: 1 }));
    expect(outcome(await inCall.commit())).toBe("400 mls-protocol-error");
    await inCall.create(newGroupId({ ...reference, type: "one-to-one" }));
    expect(outcome(await inCall.commit())).toBe("400 mls-protocol-error");
    await inCall.create(newGroupId({ ...reference, type: "regular" }));
    expect(outcome(await inCall.write("early"))).toBe("400 mls-protocol-error");
    expect((await read(ada, group)).body.epoch).toBe(0);
    expect((await inCall.mustCommit()).body.events).toEqual([]);
  });

  it("is not first made by a user under legal hold, who may join what others have begun", async () => {
    const team = await newTeam();
    const mate = await team.add();
    const [owner, held] = await Promise.all([newMlsClient(team.owner), newMlsClient(mate)]);
    const group = await newMlsGroup(owner, { team: { teamid: team.id } });
    await owner.add(mate);
    await setLegalHold(mate, "pending", { isSettled: false });
    const inCall = held.within("conference");
    await inCall.create((await read(held, group)).body.group_id);
    expect(outcome(await inCall.commit())).toBe("409 mls-legal-hold-not-allowed");
    await start(owner, group);
    await join(held, group);
  });

  it("adds nobody, whether by a proposal of its own or by an earlier one", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const tablet = await newMlsClient(ada.user, { packages: 0 });
    const { body } = await read(ada, group);
    const first = ada.within("conference");
    await first.create(body.group_id);
    expect(outcome(await first.commit(...(await first.additionsOf(bob.user))))).toBe(
      "400 mls-protocol-error",
    );
    const adaInCall = await start(ada, group);
    const ownOther = addition((await tablet.makePackage()).publicPackage);
    expect(outcome(await adaInCall.commit(ownOther))).toBe("400 mls-protocol-error");
    const proposal = await adaInCall.propose(ownOther);
    expect(outcome(await adaInCall.post("/v9/mls/messages", proposal))).toBe("400 mls-protocol-error");
    expect((await read(ada, group)).body).toMatchObject({ epoch: 1, members: [identityOf(ada)] });
  });

  it("lets a device begin or join only if it is in the group of the conversation", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const outside = (await newMlsClient(bob.user, { packages: 0 })).within("conference");
    expect((await outside.groupInfo(group.id)).status).toBe(404);
    await outside.create((await read(bob, group)).body.group_id);
    expect(outcome(await outside.commit())).toBe("403 mls-subconv-join-parent-missing");
    const adaInCall = await start(ada, group);
    const prepared = await outside.prepareJoin(group.id);
    expect(outcome(await outside.send(prepared))).toBe("403 mls-subconv-join-parent-missing");
    await join(bob, group);
    await followTo(adaInCall, 2);
  });

  it("removes any device, which stays a member of the conversation", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const adaInCall = await start(ada, group);
    const bobInCall = await join(bob, group);
    await followTo(adaInCall, 2);
    const leaf = { proposalType: "remove", remove: { removed: bobInCall.leafIndex } } as const;
    expect((await adaInCall.mustCommit(leaf)).body.events).toEqual([]);
    expect((await read(bob, group)).body.members).toEqual([identityOf(ada)]);
    expect(await bob.eventsOf(group.id)).not.toContain("conversation.member-leave");
    await bob.write("still here");
    await readUntil(ada, ["still here"]);
  });

  it("is refused by the reset of a conversation, which leaves the subconversation as it is", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const adaInCall = await start(ada, group);
    const bobInCall = await join(bob, group);
    await followTo(adaInCall, 2);
    const { group_id, epoch } = (await read(ada, group)).body;
    const reset = (json: unknown) => api("POST", "/v9/mls/reset-conversation", { token: ada.token, json });
    expect(outcome(await reset({ group_id, epoch }))).toBe("403 invalid-op");
    expect(outcome(await reset({ group_id: group.groupId, epoch: 1 }))).toBe("200");
    await bobInCall.write("still here");
    await readUntil(adaInCall, ["still here"]);
    expect(outcome(await leave(bob, group))).toBe("200");
    const back = bob.within("conference");
    const rejoining = await back.prepareJoin(group.id, { isRejoining: true });
    expect(outcome(await back.send(rejoining))).toBe("403 mls-subconv-join-parent-missing");
  });
});

describe.concurrent("DELETE …/subconversations/{s}", () => {
  it("requires the current group and epoch", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    const { group_id } = (await read(ada, group)).body;
    expect(outcome(await end(ada, group, { group_id, epoch: 0 }))).toBe("404 no-conversation");
    await start(ada, group);
    expect(outcome(await end(bob, group, { group_id: group.groupId, epoch: 1 }))).toBe("404 no-conversation");
    expect(outcome(await end(bob, group, { group_id: "", epoch: 1 }))).toBe("404 no-conversation");
    expect(outcome(await end(bob, group, { group_id, epoch: 0 }))).toBe("409 mls-stale-message");
    expect(outcome(await end(bob, group, { group_id, epoch: 1 }))).toBe("200");
    expect(outcome(await end(bob, group, { group_id, epoch: 1 }))).toBe("404 no-conversation");
    const next = (await read(ada, group)).body.group_id;
    expect(outcome(await end(bob, group, { group_id: next, epoch: 0 }))).toBe("200");
  });
});

describe.concurrent("DELETE …/subconversations/{s}/self", () => {
  it("resets the subconversation when the last device leaves", async () => {
    const [ada, bob] = await newPeople(2);
    const group = await newMlsGroupOf(ada, bob);
    expect(outcome(await leave(ada, group))).toBe("404 no-conversation");
    const adaInCall = await start(ada, group);
    expect(outcome(await leave(bob, group))).toBe("400 mls-protocol-error");
    expect(outcome(await leave(ada.user, group))).toBe("400 mls-protocol-error");
    const { body: before } = await read(ada, group);
    expect(outcome(await leave(ada, group))).toBe("200");
    const { body: after } = await read(ada, group);
    expect(after).toMatchObject({ epoch: 0, members: [] });
    expect(after.group_id).not.toBe(before.group_id);
    expect(outcome(await leave(ada, group))).toBe("400 mls-protocol-error");
    expect((await adaInCall.groupInfo(group.id)).status).toBe(404);
    await start(bob, group);
  });
});
