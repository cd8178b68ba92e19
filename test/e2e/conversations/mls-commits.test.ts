import { decodeGroupInfo } from "ts-mls/groupInfo.js";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { conversationData, createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { addition, type MlsClient, newMlsClient, removal } from "../../support/mls.ts";
import {
  followTo,
  newAcquaintances,
  newMlsGroup,
  newMlsGroupOf,
  newPeople,
  proposalsReach,
  readUntil,
} from "../../support/mls-groups.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { openSocket } from "../../support/socket.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const { store, write } = conversationData();

/** The conversation as one of its members sees it. */
async function read({ token }: Pick<User, "token">, id: string) {
  const { body } = await api("GET", `/v9/conversations/${localDomain}/${id}`, { token });
  return body;
}

const idsOf = (...clients: readonly MlsClient[]) => clients.map(({ user }) => user.id);

describe.concurrent.each([0x0001, 0x0002, 0x0005, 0x0007, 0xf031])("a group of cipher suite %i", (suite) => {
  it("grows and shrinks by commits, and every device in it reads what the others write", async () => {
    const [ada, bob, cleo] = await newPeople(3, suite);
    const { id } = await newMlsGroup(ada);
    const { body } = await ada.add(bob.user);
    expect(body.events).toMatchObject([
      {
        type: "conversation.member-join",
        from: ada.user.id,
        data: {
          user_ids: idsOf(bob),
          add_type: "internal_add",
          users: [{ conversation_role: "svc_member" }],
        },
      },
    ]);
    await followTo(bob, 1);
    await ada.add(cleo.user);
    await Promise.all([followTo(bob, 2), followTo(cleo, 2)]);
    expect(outcome(await cleo.write("hello"))).toBe("201");
    await Promise.all([readUntil(ada, ["hello"]), readUntil(bob, ["hello"])]);
    expect(await read(cleo.user, id)).toMatchObject({ epoch: 2, cipher_suite: suite });

    const removed = await ada.mustCommit(removal(bob.leafIndex));
    expect(removed.body.events).toMatchObject([
      { type: "conversation.member-leave", data: { reason: "removed", user_ids: idsOf(bob) } },
    ]);
    await followTo(cleo, 3);
    expect(outcome(await cleo.send(await cleo.prepareJoin(id, { isRejoining: true })))).toBe("201");
    await followTo(ada, 4);
    await ada.write("again");
    await readUntil(cleo, ["again"]);
    expect(bob.texts).toEqual(["hello"]);
  });
});

describe.concurrent("POST /mls/commit-bundles", () => {
  it("tells the group of the commit, then of its members, and sends the welcome to added devices only", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const phone = await newMlsClient(cleo.user, { packages: 1 });
    const { id } = await newMlsGroupOf(ada, bob);
    const socket = await openSocket("/await", { token: bob.token });
    await ada.add(cleo.user);
    await Promise.all([followTo(bob, 2), followTo(cleo, 2), followTo(phone, 2)]);
    const join = "conversation.member-join";
    const [message, welcome] = ["conversation.mls-message-add", "conversation.mls-welcome"];
    await eventually(async () => expect(await bob.eventsOf(id)).toEqual([join, welcome, message, join]));
    for (const device of [cleo, phone]) expect(await device.eventsOf(id)).toEqual([join, welcome]);
    const { payload } = await socket.next(
      (frame) => frame.payload?.[0].type === "conversation.mls-message-add",
    );
    expect(payload).toEqual([
      {
        type: "conversation.mls-message-add",
        conversation: expect.any(String),
        qualified_conversation: { domain: localDomain, id: payload[0].conversation },
        from: ada.user.id,
        qualified_from: { domain: localDomain, id: ada.user.id },
        time: expect.any(String),
        via: "user",
        data: expect.any(String),
      },
    ]);
    expect(await ada.eventsOf(id)).not.toContain(message);
  });

  it("accepts the committer's own new device, which cannot read anything older", async () => {
    const [ada, bob] = await newPeople(2);
    await newMlsGroupOf(ada, bob);
    await bob.write("before");
    const tablet = await newMlsClient(bob.user);
    const [keyPackage] = await claimOf(bob, tablet);
    expect((await bob.mustCommit(addition(keyPackage))).body.events).toEqual([]);
    await Promise.all([followTo(tablet, 2), followTo(ada, 2)]);
    await ada.write("after");
    await readUntil(tablet, ["after"]);
    await readUntil(bob, ["after"]);
  });

  it("requires all devices with key packages of a new user, and no others", async () => {
    const [ada, bob] = await newPeople(2);
    await newMlsClient(bob.user, { packages: 2 });
    const without = await newMlsClient(bob.user, { packages: 0 });
    await newMlsGroup(ada);
    await ada.mustCommit();
    const both = await ada.additionsOf(bob.user);
    expect(both).toHaveLength(2);
    for (const one of both) expect(outcome(await ada.commit(one))).toBe("409 mls-client-mismatch");
    const identity = without.device.identity.replace(without.clientId, "abc");
    const unknown = addition((await without.makePackage(identity)).publicPackage);
    expect(outcome(await ada.commit(...both, unknown))).toBe("409 mls-client-mismatch");
    const only = addition((await without.makePackage()).publicPackage);
    expect(outcome(await ada.commit(only))).toBe("409 mls-client-mismatch");
    expect(outcome(await ada.commit(...both, only))).toBe("201");
  });

  it("requires the creator's other devices in the first commit", async () => {
    const [ada] = await newPeople(1);
    const tablet = await newMlsClient(ada.user);
    await newMlsGroup(ada);
    expect(outcome(await ada.commit())).toBe("409 mls-client-mismatch");
    const own = (await ada.additionsOf(ada.user)).slice(-1);
    await ada.mustCommit(...own);
    await followTo(tablet, 1);
  });

  it("removes users only with all of their devices, and never the committer's own", async () => {
    const [ada, bob] = await newPeople(2);
    const [phone, tablet] = [await newMlsClient(bob.user), await newMlsClient(ada.user)];
    await newMlsGroup(ada);
    await ada.mustCommit(...(await ada.additionsOf(bob.user, ada.user)));
    await Promise.all([followTo(bob, 1), followTo(phone, 1), followTo(tablet, 1)]);
    expect(outcome(await ada.commit(removal(bob.leafIndex)))).toBe("409 mls-client-mismatch");
    expect(outcome(await ada.commit(removal(tablet.leafIndex)))).toBe("400 mls-self-removal-not-allowed");
    const both = [removal(bob.leafIndex), removal(phone.leafIndex)];
    expect(outcome(await bob.commit(removal(ada.leafIndex), removal(tablet.leafIndex)))).toBe(
      "403 action-denied",
    );
    expect((await ada.mustCommit(...both)).body.events).toMatchObject([{ data: { user_ids: idsOf(bob) } }]);
  });

  it("creates a conversation of two users by their first commit", async () => {
    const [ada, bob] = await newPeople(2);
    const path = `/v9/one2one-conversations/${localDomain}/${bob.user.id}`;
    const { body } = await api("GET", path, { token: ada.user.token });
    const { group_id: groupId, id } = body.conversation;
    await ada.create(groupId);
    const stranger = await newMlsClient(await newUser());
    await stranger.create(groupId);
    expect(outcome(await stranger.commit(...(await stranger.additionsOf(bob.user))))).toBe(
      "404 no-conversation",
    );
    const first = await ada.add(bob.user);
    expect(new Set(first.body.events[0].data.user_ids)).toEqual(new Set(idsOf(ada, bob)));
    await followTo(bob, 1);
    await bob.write("hi");
    await readUntil(ada, ["hi"]);
    expect(await read(bob.user, id)).toMatchObject({
      type: 2,
      epoch: 1,
      members: { others: [{ id: ada.user.id }] },
    });
  });

  it("admits only the user's own devices to the self conversation", async () => {
    const [ada, bob] = await newPeople(2);
    const tablet = await newMlsClient(ada.user);
    const { body } = await api("GET", "/v9/conversations/mls-self", { token: ada.user.token });
    await ada.create(body.group_id);
    const own = await ada.additionsOf(ada.user);
    const others = await ada.additionsOf(bob.user);
    expect(outcome(await ada.commit(...own.slice(-1), ...others))).toBe("403 invalid-op");
    await ada.mustCommit(...own.slice(-1));
    await followTo(tablet, 1);
  });

  it("adds only users whom the rules of the conversation admit", async () => {
    const [ada, bob] = await newPeople(2);
    const stranger = await newMlsClient(await newUser(), { packages: 2 });
    await newMlsGroupOf(ada, bob);
    expect(outcome(await ada.commit(...(await ada.additionsOf(stranger.user))))).toBe("403 not-connected");
    await connectUsers(bob.user, stranger.user);
    expect(outcome(await bob.commit(...(await bob.additionsOf(stranger.user))))).toBe("403 action-denied");

    const team = await newTeam();
    const [owner, guest] = [await newMlsClient(team.owner), await newMlsClient(await newUser())];
    await connectUsers(team.owner, guest.user);
    await newMlsGroup(owner, { team: { teamid: team.id }, access_role: ["team_member"] });
    await owner.mustCommit();
    expect(outcome(await owner.commit(...(await owner.additionsOf(guest.user))))).toBe("403 no-team-member");
  });

  it("does not bring back a user who is leaving, before the service has proposed the removal", async () => {
    const [ada, bob] = await newPeople(2);
    const { id } = await newMlsGroupOf(ada, bob);
    const tablet = await newMlsClient(bob.user);
    const conversation = await store.get(id);
    if (conversation === undefined) throw new Error("No conversation");
    const leaving = [{ conversationId: id, userId: bob.user.id }];
    await write(store.change(conversation, { leaving }).writes);
    const [keyPackage] = await claimOf(ada, tablet);
    expect(outcome(await ada.commit(addition(keyPackage)))).toBe("409 mls-stale-message");
  });

  it("is open to members only, even by an external commit", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const { id } = await newMlsGroupOf(ada, bob);
    const groupInfo = await ada.groupInfo(id);
    expect((await cleo.groupInfo(id)).status).toBe(404);
    cleo.groupInfo = async () => groupInfo;
    expect(outcome(await cleo.send(await cleo.prepareJoin(id)))).toBe("404 no-conversation");
  });

  it("lets a device of a member join or replace itself, but not join twice", async () => {
    const [ada, bob] = await newPeople(2);
    const { id } = await newMlsGroupOf(ada, bob);
    const tablet = await newMlsClient(bob.user, { packages: 0 });
    expect(outcome(await tablet.send(await tablet.prepareJoin(id)))).toBe("201");
    await Promise.all([followTo(ada, 2), followTo(bob, 2)]);
    expect(outcome(await tablet.send(await tablet.prepareJoin(id)))).toBe("400 mls-protocol-error");
    expect(outcome(await tablet.send(await tablet.prepareJoin(id, { isRejoining: true })))).toBe("201");
    await Promise.all([followTo(ada, 3), followTo(bob, 3)]);
    await bob.write("welcome");
    await readUntil(tablet, ["welcome"]);
  });

  it("refuses an external commit to a group that nobody has committed to", async () => {
    const [ada] = await newPeople(1);
    const tablet = await newMlsClient(ada.user, { packages: 0 });
    const { id } = await newMlsGroup(ada);
    tablet.groupInfo = async () => ({ status: 200, bytes: await ada.groupInfoOf(ada.state) });
    expect(outcome(await tablet.send(await tablet.prepareJoin(id)))).toBe("400 mls-protocol-error");
    expect((await ada.groupInfo(id)).status).toBe(404);
  });

  it("requires every pending proposal of the epoch, and accepts no others", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    await newMlsGroupOf(ada, bob);
    const early = await ada.prepare();
    const [proposal] = await ada.additionsOf(cleo.user);
    if (proposal === undefined) throw new Error("No key package");
    expect(outcome(await bob.post("/v9/mls/messages", await bob.propose(proposal)))).toBe("201");
    expect(outcome(await ada.send(early))).toBe("400 mls-commit-missing-references");
    await proposalsReach(ada, 1);
    expect((await ada.mustCommit()).body.events).toMatchObject([{ data: { user_ids: idsOf(cleo) } }]);
    await Promise.all([followTo(bob, 2), followTo(cleo, 2)]);
    await bob.propose(removal(cleo.leafIndex));
    expect(outcome(await bob.commit())).toBe("404 mls-proposal-not-found");
  });

  it("refuses a group info or commit that is not the committer's own, and keeps the former epoch", async () => {
    const [ada, bob] = await newPeople(2);
    const { id } = await newMlsGroupOf(ada, bob);
    const before = await ada.groupInfo(id);
    const good = await ada.prepare();
    const other = await bob.prepare();
    const bad = [
      { ...good, groupInfo: other.groupInfo },
      { ...good, groupInfo: before.bytes as Buffer },
      { ...good, groupInfo: flipped(good.groupInfo, -1) },
      { ...good, commit: flipped(good.commit, -40) },
      { ...good, commit: flipped(good.commit, 60) },
    ];
    for (const one of bad) expect(outcome(await ada.send(one))).toMatch(/^400 mls-protocol-error$|^409/);
    const forged = await bob.post("/v9/mls/commit-bundles", Buffer.concat([good.commit, good.groupInfo]));
    expect(outcome(forged)).toBe("400 mls-client-sender-user-mismatch");
    expect((await ada.groupInfo(id)).bytes).toEqual(before.bytes);
    expect(outcome(await ada.send(good))).toBe("201");
    await followTo(bob, 2);
    expect((await bob.groupInfo(id)).bytes).toEqual(good.groupInfo);
  });

  it("keeps the group info in a form that clients can read without unpacking a message", async () => {
    const [ada] = await newPeople(1);
    const { id } = await newMlsGroup(ada);
    const commit = await ada.prepare();
    await ada.send(commit);
    const url = `${sharedStack().publicUrl}/v9/conversations/${localDomain}/${id}/groupinfo`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${ada.token}` } });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    expect(answer.headers.get("content-type")).toBe("message/mls");
    const [info, length] = decodeGroupInfo(bytes, 0) ?? [];
    expect([info?.groupContext.epoch, length]).toEqual([1n, bytes.length]);
  });

  it("refuses missing, duplicate and unexpected parts", async () => {
    const [ada] = await newPeople(1);
    await newMlsGroup(ada);
    const { commit, groupInfo } = await ada.prepare();
    const send = (...parts: Buffer[]) => ada.post("/v9/mls/commit-bundles", Buffer.concat(parts));
    for (const parts of [
      [],
      [commit],
      [groupInfo],
      [commit, commit, groupInfo],
      [commit, groupInfo, groupInfo],
      [commit, groupInfo, Buffer.of(0)],
    ])
      expect(outcome(await send(...parts))).toBe("400 mls-protocol-error");
    expect(outcome(await send(groupInfo, await ada.encrypt("x")))).toBe("422 mls-unsupported-message");
    const asText = { token: ada.token, body: "x", headers: { "content-type": "text/plain" } };
    expect(outcome(await api("POST", "/v9/mls/commit-bundles", asText))).toBe("415 unsupported-media-type");
    expect(outcome(await send(groupInfo, commit))).toBe("201");
  });

  it("needs the token of a device", async () => {
    const [ada] = await newPeople(1);
    await newMlsGroup(ada);
    const { commit, groupInfo } = await ada.prepare();
    const { token } = ada.user;
    const headers = { "content-type": "message/mls" };
    const body = new Uint8Array(Buffer.concat([commit, groupInfo]));
    expect(outcome(await api("POST", "/v9/mls/commit-bundles", { token, body, headers }))).toBe(
      "400 bad-request",
    );
  });

  it("refuses a commit to a deleted conversation", async () => {
    const team = await newTeam();
    const owner = await newMlsClient(team.owner);
    const { body } = await createConversation(team.owner, { in: team, protocol: "mls" });
    await owner.create(body.group_id);
    await owner.mustCommit();
    const path = `/v9/teams/${team.id}/conversations/${body.id}`;
    expect((await api("DELETE", path, { token: team.owner.token })).status).toBe(200);
    expect(outcome(await owner.commit())).toBe("404 no-conversation");
    expect((await owner.groupInfo(body.id)).status).toBe(404);
  });

  it("adds 60 users by one commit, some of whom become members after it", async () => {
    const [owner, ...others] = await newAcquaintances(61);
    const ada = await newMlsClient(owner, { packages: 0 });
    const clients = await Promise.all(others.map((user) => newMlsClient(user)));
    const { id } = await newMlsGroup(ada);
    const { body } = await ada.add(...others);
    expect(body.events[0].data.user_ids).toHaveLength(60);
    await eventually(async () => expect((await read(owner, id)).members.others).toHaveLength(60));
    const last = clients.at(-1) as MlsClient;
    await followTo(last, 1);
    await last.write("here");
    await readUntil(ada, ["here"]);
    const leaves = clients.slice(0, 50).map((_, index) => removal(index + 1));
    expect((await ada.mustCommit(...leaves)).body.events[0].data.user_ids).toHaveLength(50);
    await eventually(async () => expect((await read(owner, id)).members.others).toHaveLength(10));
  });
});

/** Key packages of one of a user's devices. */
async function claimOf(claimant: MlsClient, device: MlsClient) {
  const claimed = await claimant.claim(device.user);
  const own = Buffer.from(device.device.identity);
  return claimed.filter(({ leafNode: { credential } }) =>
    credential.credentialType === "basic" ? own.equals(credential.identity) : false,
  ) as [(typeof claimed)[number]];
}

function flipped(bytes: Buffer, position: number): Buffer {
  const changed = Buffer.from(bytes);
  const index = position < 0 ? changed.length + position : position;
  changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
  return changed;
}
