import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { connectionData, connectUsers, localDomain, updateConnection } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

type Caller = Pick<User, "token">;
type Target = Pick<User, "id">;

const { store } = conversationData();

const path = (cid: string, user?: Target, domain = localDomain) =>
  `/conversations/${localDomain}/${cid}/members${user === undefined ? "" : `/${domain}/${user.id}`}`;
const qualified = (users: readonly Target[]) => users.map(({ id }) => ({ domain: localDomain, id }));

const add = ({ token }: Caller, cid: string, users: readonly Target[], conversation_role?: unknown) =>
  api("POST", path(cid), { token, json: { qualified_users: qualified(users), conversation_role } });
const remove = ({ token }: Caller, cid: string, user: Target) => api("DELETE", path(cid, user), { token });
const leave = (user: User, cid: string) => remove(user, cid, user);
const changeRole = ({ token }: Caller, cid: string, user: Target, conversation_role: unknown) =>
  api("PUT", path(cid, user), { token, json: { conversation_role } });

/** Events of a conversation in the log of a user. */
async function eventsOf(type: string, { token }: Caller, cid: string) {
  const events = await storedEvents(token, `conversation.${type}`);
  return events.filter(({ conversation }) => conversation === cid);
}

/** Roles of the members by id. */
const membersOf = async (cid: string) =>
  Object.fromEntries(
    (await store.getPopulated(cid))?.members.map(({ userId, role }) => [userId, role]) ?? [],
  );

/** A user with contacts. */
async function userWithContacts<Count extends number>(count: Count): Promise<User[]> {
  const users = await Promise.all(Array.from({ length: count + 1 }, () => newUser()));
  const [user, ...contacts] = users as [User, ...User[]];
  await Promise.all(contacts.map((contact) => connectUsers(user, contact)));
  return users;
}
const withContact = async () => (await userWithContacts(1)) as [User, User];

/** A channel with these members, in a team. */
const newChannel = (
  team: Target,
  members: readonly Target[],
  fields: Parameters<typeof newConversation>[1] = {},
) =>
  newConversation(members, {
    team,
    groupType: "channel",
    protocol: "mls",
    addPermission: "admins",
    ...fields,
  });

describe.concurrent("POST /conversations/{domain}/{cid}/members", () => {
  it("answers with the event for old and new members", async () => {
    const [ada, bob] = await withContact();
    const old = await newUser();
    const { id } = await newConversation([ada, old]);
    const { status, body } = await add(ada, id, [bob], "svc_member");
    const user = {
      qualified_id: { domain: localDomain, id: bob.id },
      id: bob.id,
      conversation_role: "svc_member",
    };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        type: "conversation.member-join",
        conversation: id,
        qualified_conversation: { domain: localDomain, id },
        from: ada.id,
        qualified_from: { domain: localDomain, id: ada.id },
        time: expect.stringMatching(/Z$/),
        via: "user",
        data: { users: [user], user_ids: [bob.id], add_type: "internal_add" },
      },
    });
    await eventually(async () => {
      for (const member of [ada, old, bob]) expect(await eventsOf("member-join", member, id)).toEqual([body]);
    });
    expect(await membersOf(id)).toEqual({ [ada.id]: "admin", [old.id]: "admin", [bob.id]: "member" });
    const list = await store.listOfUser(bob.id, { limit: 10 });
    expect(list).toContainEqual({ conversationId: id });
  });

  it("makes new members admins by default", async () => {
    const [ada, bob] = await withContact();
    const { id } = await newConversation([ada]);
    expect((await add(ada, id, [bob])).body.data.users).toMatchObject([{ conversation_role: "svc_admin" }]);
  });

  it("returns 204 without an event when all are already members, and skips those who are", async () => {
    const [ada, bob, eve] = (await userWithContacts(2)) as [User, User, User];
    const { id } = await newConversation([ada, bob]);
    expect((await add(ada, id, [bob, ada, bob])).status).toBe(204);
    expect((await add(ada, id, [bob, eve, eve])).body.data.user_ids).toEqual([eve.id]);
    await eventually(async () => expect(await eventsOf("member-join", bob, id)).toHaveLength(1));
  });

  it("gives a returning user fresh settings and the new role", async () => {
    const [ada, bob] = await withContact();
    const { id } = await newConversation([ada, bob]);
    await connectionData().write([
      store.changeOwnSettings({ conversationId: id, userId: bob.id }, { isArchived: true }),
    ]);
    expect((await remove(ada, id, bob)).status).toBe(200);
    expect((await add(ada, id, [bob], "svc_member")).status).toBe(200);
    const membership = { conversationId: id, userId: bob.id };
    expect(await store.getMember(membership)).toEqual({ ...membership, role: "member" });
  });

  it("is refused to members without the admin role, and to strangers", async () => {
    const [ada, bob] = await withContact();
    const stranger = await newUser();
    const { id } = await newConversation([stranger, ada], { roles: { [ada.id]: "member" } });
    expect(outcome(await add(ada, id, [bob]))).toBe("403 action-denied");
    expect(outcome(await add(bob, id, [ada]))).toBe("404 no-conversation");
    expect(outcome(await add(ada, randomUUID(), [bob]))).toBe("404 no-conversation");
    const team = await newTeam();
    const ofTeam = await newConversation([stranger], { team });
    expect(outcome(await add(team.owner, ofTeam.id, [team.owner]))).toBe("404 no-conversation");
  });

  it("is refused in conversations that are not groups", async () => {
    const [ada, bob] = await withContact();
    for (const type of ["self", "one-to-one", "connection"] as const) {
      const { id } = await newConversation([ada], { type, access: ["private"], accessRoles: [] });
      expect(outcome(await add(ada, id, [bob]))).toBe("403 invalid-op");
      expect(outcome(await add(bob, id, [bob]))).toBe("404 no-conversation");
    }
  });

  it("is refused in MLS groups, even to outsiders", async () => {
    const [ada, bob] = await withContact();
    const { id } = await newConversation([ada], { protocol: "mls" });
    for (const user of [ada, bob]) expect(outcome(await add(user, id, [bob]))).toBe("403 invalid-op");
    const mixed = await newConversation([ada], { protocol: "mixed" });
    expect((await add(ada, mixed.id, [bob])).status).toBe(200);
  });

  it("needs access by invitation", async () => {
    const [ada, bob] = await withContact();
    const { id } = await newConversation([ada, bob], { access: ["link"] });
    expect(outcome(await add(ada, id, [bob]))).toBe("403 access-denied");
  });

  it("admits users according to the access roles", async () => {
    const team = await newTeam();
    const [mate, contact] = await Promise.all([team.add(), newUser()]);
    await connectUsers(team.owner, contact);
    const closed = await newConversation([team.owner], { team, accessRoles: ["team_member"] });
    expect(outcome(await add(team.owner, closed.id, [mate, contact]))).toBe("403 no-team-member");
    expect(outcome(await add(team.owner, closed.id, [{ id: randomUUID() }]))).toBe("403 no-team-member");
    expect((await add(team.owner, closed.id, [mate])).status).toBe(200);

    const { body: anonymous } = await api("POST", "/register", { json: { name: "Guest" } });
    const anonymousUser = { id: anonymous.id as string };
    const noGuests = await newConversation([contact]);
    expect(outcome(await add(contact, noGuests.id, [anonymousUser]))).toBe("403 access-denied");
    const guests = await newConversation([contact], {
      accessRoles: ["team_member", "non_team_member", "guest"],
    });
    expect(outcome(await add(contact, guests.id, [anonymousUser]))).toBe("403 not-connected");
    const nobody = await newConversation([contact], { accessRoles: [] });
    expect(outcome(await add(contact, nobody.id, [team.owner]))).toBe("403 access-denied");
  });

  it("needs a connection to users outside the team", async () => {
    const team = await newTeam();
    const [mate, stranger, pending, blocker, blocked, deleted] = await Promise.all([
      team.add(),
      newUser(),
      newUser(),
      newUser(),
      newUser(),
      newUser(),
    ]);
    const { owner } = team;
    await Promise.all([blocker, blocked, deleted].map((user) => connectUsers(owner, user)));
    await Promise.all([
      updateConnection(blocker, owner, "blocked"),
      updateConnection(owner, blocked, "blocked"),
      api("POST", `/connections/${localDomain}/${pending.id}`, { token: owner.token }),
      connectionData().markDeleted(deleted),
    ]);
    for (const options of [{}, { team }]) {
      const { id } = await newConversation([owner], options);
      for (const user of [stranger, pending, blocker, blocked, deleted, { id: randomUUID() }])
        expect(outcome(await add(owner, id, [mate, user]))).toBe("403 not-connected");
      expect(await membersOf(id)).toEqual({ [owner.id]: "admin" });
      expect((await add(owner, id, [mate])).status).toBe(200);
    }
    const otherTeam = await newTeam();
    await connectUsers(owner, otherTeam.owner);
    const guest = await newConversation([otherTeam.owner], { team });
    expect(outcome(await add(otherTeam.owner, guest.id, [mate]))).toBe("403 not-connected");
  });

  it("is refused to partners of the owning team, even if they are admins of the conversation", async () => {
    const team = await newTeam();
    const [partner, mate] = await Promise.all([team.add("partner"), team.add()]);
    const { id } = await newConversation([partner], { team });
    expect(outcome(await add(partner, id, [mate]))).toBe("403 invalid-op");
    const [guest, contact] = await withContact();
    const withGuest = await newConversation([guest], { team });
    expect((await add(guest, withGuest.id, [contact])).status).toBe(200);
  });

  it("refuses conversations and users of other domains", async () => {
    const [ada, bob] = await withContact();
    const { id } = await newConversation([ada]);
    const remote = { domain: "elsewhere.example", id: bob.id };
    const send = (cid: string, domain: string, qualified_users: unknown) =>
      api("POST", `/conversations/${domain}/${cid}/members`, { token: ada.token, json: { qualified_users } });
    expect(outcome(await send(id, remote.domain, [remote]))).toBe("422 federation-not-implemented");
    expect(outcome(await send(id, localDomain, [remote]))).toBe("403 not-connected");
    expect(outcome(await send(id, localDomain, [...qualified([bob]), remote]))).toBe("403 not-connected");
    expect(await membersOf(id)).toEqual({ [ada.id]: "admin" });
  });

  it("refuses malformed bodies", async () => {
    const [ada, bob] = await withContact();
    const { id } = await newConversation([ada]);
    const send = (json: unknown, at = path(id)) => api("POST", at, { token: ada.token, json });
    const tooMany = Array.from({ length: 2001 }, () => ({ domain: "a", id: bob.id }));
    for (const users of [
      undefined,
      null,
      [],
      {},
      "x",
      [bob.id],
      [{ id: bob.id }],
      [{ domain: "a", id: "x" }],
      tooMany,
    ])
      expect(outcome(await send({ qualified_users: users }))).toBe("400 bad-request");
    for (const role of ["svc_owner", "SVC_ADMIN", "x", "", 1, {}, "a".repeat(129), "__proto__", "admin"])
      expect(outcome(await add(ada, id, [bob], role)), String(role)).toBe("400 bad-request");
    expect((await send({}, path("x"))).status).toBe(400);
    expect(await membersOf(id)).toEqual({ [ada.id]: "admin" });
  });

  it("accepts ids in the unqualified forms, and users in `/members/v2` below version 2", async () => {
    const [ada, bob, eve] = (await userWithContacts(2)) as [User, User, User];
    const { id } = await newConversation([ada]);
    const { token } = ada;
    for (const version of ["", "/v8", "/v9"]) {
      const json = { users: [bob.id], conversation_role: "svc_member" };
      const added = await api("POST", `${version}/conversations/${id}/members`, { token, json });
      expect(added.body.data.users).toMatchObject([{ id: bob.id, conversation_role: "svc_member" }]);
      const removed = await api("DELETE", `${version}/conversations/${id}/members/${bob.id}`, { token });
      expect(removed.body.data).toMatchObject({ reason: "removed", user_ids: [bob.id] });
    }
    const json = { qualified_users: qualified([bob]) };
    expect((await api("POST", `/v1${path(id)}`, { token, json })).status).toBe(404);
    expect((await api("POST", `/v2/conversations/${id}/members/v2`, { token, json })).status).toBe(404);
    expect((await api("POST", `/v1/conversations/${id}/members/v2`, { token, json })).status).toBe(200);
    const more = { qualified_users: qualified([eve]) };
    expect((await api("POST", `/v2${path(id)}`, { token, json: more })).status).toBe(200);
    expect(Object.keys(await membersOf(id)).sort()).toEqual([ada.id, bob.id, eve.id].sort());
  });
});

describe.concurrent("adding members to a channel", () => {
  it("is allowed for its admins and those of the team, who need not be members", async () => {
    const team = await newTeam();
    const [admin, partner, plain, mate, other] = await Promise.all([
      team.add("admin"),
      team.add("partner"),
      team.add(),
      team.add(),
      team.add(),
    ]);
    const { id } = await newChannel(team, [partner, plain], { roles: { [plain.id]: "member" } });
    expect(outcome(await add(plain, id, [mate]))).toBe("403 action-denied");
    expect(outcome(await add(mate, id, [mate]))).toBe("404 no-conversation");
    const added = await add(admin, id, [admin, mate]);
    expect(added.body.data).toMatchObject({ add_type: "external_add", user_ids: [admin.id, mate.id] });
    expect((await add(partner, id, [other])).body.data.add_type).toBe("external_add");
    await eventually(async () => {
      for (const user of [plain, admin]) expect(await eventsOf("member-join", user, id)).toHaveLength(2);
    });
  });

  it("is allowed for all members from the team where everybody may add, but they give no more rights than they have", async () => {
    const team = await newTeam();
    const [plain, mate, other, guest] = await Promise.all([
      team.add("partner"),
      team.add(),
      team.add(),
      newUser(),
    ]);
    await connectUsers(guest, mate);
    const roles = { [plain.id]: "member", [guest.id]: "member" } as const;
    const { id } = await newChannel(team, [team.owner, plain, guest], { addPermission: "everyone", roles });
    expect(outcome(await add(guest, id, [mate]))).toBe("403 action-denied");
    expect(outcome(await add(plain, id, [mate], "svc_admin"))).toBe("403 action-denied");
    const { body } = await add(plain, id, [mate]);
    expect(body.data).toMatchObject({
      add_type: "external_add",
      users: [{ id: mate.id, conversation_role: "svc_member" }],
    });
    expect((await add(plain, id, [other], "svc_member")).status).toBe(200);
    const closed = await newChannel(team, [team.owner, plain], { roles });
    expect(outcome(await add(plain, closed.id, [mate]))).toBe("403 action-denied");
  });
});

describe.concurrent("DELETE /conversations/{domain}/{cid}/members/{user_domain}/{uid}", () => {
  it("lets a member leave, and tells everybody", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada, bob], { roles: { [bob.id]: "member" } });
    const { status, body } = await leave(bob, id);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        type: "conversation.member-leave",
        from: bob.id,
        data: {
          reason: "left",
          qualified_user_ids: [{ domain: localDomain, id: bob.id }],
          user_ids: [bob.id],
        },
      },
    });
    await eventually(async () => {
      for (const user of [ada, bob]) expect(await eventsOf("member-leave", user, id)).toEqual([body]);
    });
    expect(outcome(await leave(bob, id))).toBe("404 no-conversation");
    expect(await membersOf(id)).toEqual({ [ada.id]: "admin" });
    expect(await store.listOfUser(bob.id, { limit: 10 })).toEqual([]);
  });

  it("lets an admin remove others, and tells everybody", async () => {
    const [ada, bob, eve] = (await Promise.all([newUser(), newUser(), newUser()])) as [User, User, User];
    const { id } = await newConversation([ada, bob, eve], { roles: { [bob.id]: "member" } });
    expect(outcome(await remove(bob, id, eve))).toBe("403 action-denied");
    const { body } = await remove(ada, id, eve);
    expect(body).toMatchObject({ from: ada.id, data: { reason: "removed", user_ids: [eve.id] } });
    await eventually(async () => {
      for (const user of [ada, bob, eve]) expect(await eventsOf("member-leave", user, id)).toEqual([body]);
    });
    expect((await remove(ada, id, eve)).status).toBe(204);
    expect((await remove(ada, id, { id: randomUUID() })).status).toBe(204);
    expect((await api("DELETE", path(id, bob, "elsewhere.example"), { token: ada.token })).status).toBe(204);
    expect(outcome(await remove(eve, id, ada))).toBe("404 no-conversation");
    expect(Object.keys(await membersOf(id)).sort()).toEqual([ada.id, bob.id].sort());
  });

  it("keeps a conversation that its last member leaves in the team's list", async () => {
    const team = await newTeam();
    const { id } = await newConversation([team.owner], { team });
    expect((await leave(team.owner, id)).status).toBe(200);
    expect(await store.get(id)).toMatchObject({ memberCount: 0 });
    expect(await store.listOfTeam(team.id, { limit: 10 })).toMatchObject([{ conversationId: id }]);
    expect(outcome(await add(team.owner, id, [team.owner]))).toBe("404 no-conversation");
  });

  it("is refused in conversations that are not groups", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    for (const type of ["self", "one-to-one", "connection"] as const) {
      const { id } = await newConversation([ada, bob], { type, access: ["private"], accessRoles: [] });
      for (const user of [ada, bob]) expect(outcome(await remove(ada, id, user))).toBe("403 invalid-op");
    }
  });

  it("lets members of MLS groups leave, but not remove others, which takes a commit", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada, bob], { protocol: "mls" });
    expect(outcome(await remove(ada, id, bob))).toBe("403 invalid-op");
    expect((await leave(bob, id)).body.data.reason).toBe("left");
  });

  it("lets only admins of the team remove others from channels, with the event but without a body", async () => {
    const team = await newTeam();
    const [plain, convAdmin] = await Promise.all([team.add(), team.add()]);
    const { id } = await newChannel(team, [plain, convAdmin], { roles: { [plain.id]: "member" } });
    expect(outcome(await remove(plain, id, convAdmin))).toBe("404 no-conversation");
    expect(outcome(await remove(convAdmin, id, plain))).toBe("404 no-conversation");
    const removed = await remove(team.owner, id, plain);
    expect({ status: removed.status, body: removed.body }).toEqual({ status: 204, body: "" });
    expect((await remove(team.owner, id, plain)).status).toBe(204);
    await eventually(async () => {
      for (const user of [plain, convAdmin]) {
        const data = { reason: "removed", user_ids: [plain.id] };
        expect(await eventsOf("member-leave", user, id)).toMatchObject([{ from: team.owner.id, data }]);
      }
    });
    expect(outcome(await leave(team.owner, id))).toBe("404 no-conversation");
    expect((await leave(convAdmin, id)).status).toBe(200);
  });

  it("refuses conversations of other domains", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const of = (user: User) =>
      `/conversations/elsewhere.example/${randomUUID()}/members/${localDomain}/${user.id}`;
    const { token } = ada;
    expect(outcome(await api("DELETE", of(ada), { token }))).toBe("400 federation-not-enabled");
    expect(outcome(await api("DELETE", of(bob), { token }))).toBe("403 action-denied");
  });
});

describe.concurrent("PUT /conversations/{domain}/{cid}/members/{user_domain}/{uid}", () => {
  it("changes a member's role, and tells everybody", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada, bob]);
    const { status, body } = await changeRole(ada, id, bob, "svc_member");
    expect({ status, body }).toEqual({ status: 200, body: "" });
    const data = {
      qualified_target: { domain: localDomain, id: bob.id },
      target: bob.id,
      conversation_role: "svc_member",
    };
    await eventually(async () => {
      for (const user of [ada, bob])
        expect(await eventsOf("member-update", user, id)).toMatchObject([{ from: ada.id, data }]);
      expect((await eventsOf("member-update", bob, id))[0]?.data).toEqual(data);
    });
    expect(outcome(await changeRole(bob, id, ada, "svc_member"))).toBe("403 action-denied");
    expect((await changeRole(ada, id, bob, "svc_member")).status).toBe(200);
    expect((await changeRole(ada, id, bob, "svc_admin")).status).toBe(200);
    await eventually(async () => expect(await eventsOf("member-update", ada, id)).toHaveLength(2));
  });

  it("is refused for the caller, for users who are not members, and to strangers", async () => {
    const [ada, bob, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    const { id } = await newConversation([ada, bob], { roles: { [bob.id]: "member" } });
    expect(outcome(await changeRole(ada, id, ada, "svc_member"))).toBe("403 invalid-op");
    expect(outcome(await changeRole(ada, id, stranger, "svc_member"))).toBe("404 no-conversation-member");
    expect(outcome(await changeRole(bob, id, ada, "svc_member"))).toBe("403 action-denied");
    expect(outcome(await changeRole(stranger, id, ada, "svc_member"))).toBe("404 no-conversation");
    expect(outcome(await changeRole(stranger, id, stranger, "svc_admin"))).toBe("404 no-conversation");
    const { token } = ada;
    const json = { conversation_role: "svc_admin" };
    const remote = await api("PUT", path(id, bob, "elsewhere.example"), { token, json });
    expect(outcome(remote)).toBe("404 no-conversation-member");
    const elsewhere = `/conversations/elsewhere.example/${id}/members/${localDomain}/${bob.id}`;
    expect(outcome(await api("PUT", elsewhere, { token, json }))).toBe("422 federation-not-implemented");
  });

  it("is refused in conversations that are not groups", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada, bob], {
      type: "one-to-one",
      access: ["private"],
      accessRoles: [],
    });
    expect(outcome(await changeRole(ada, id, bob, "svc_member"))).toBe("403 invalid-op");
  });

  it("needs the name of a role", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada, bob]);
    for (const role of [undefined, null, "", "svc_owner", "admin", 1, ["svc_admin"]])
      expect(outcome(await changeRole(ada, id, bob, role)), String(role)).toBe("400 bad-request");
  });

  it("lets admins of the team who are plain members of a channel change roles", async () => {
    const team = await newTeam();
    const [mate, admin] = await Promise.all([team.add(), team.add("admin")]);
    const { id } = await newChannel(team, [mate, team.owner], { roles: { [team.owner.id]: "member" } });
    expect((await changeRole(team.owner, id, mate, "svc_member")).status).toBe(200);
    expect(outcome(await changeRole(admin, id, mate, "svc_admin"))).toBe("404 no-conversation");
  });

  it("has an unqualified form below version 7", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada, bob]);
    const send = (version: string) =>
      api("PUT", `${version}/conversations/${id}/members/${bob.id}`, {
        token: ada.token,
        json: { conversation_role: "svc_member" },
      });
    expect((await send("/v6")).status).toBe(200);
    expect((await send("/v7")).status).toBe(404);
    expect(await membersOf(id)).toMatchObject({ [bob.id]: "member" });
  });
});

describe.concurrent("POST /conversations/{cid}/join", () => {
  const join = ({ token }: Caller, cid: string, version = "/v4") =>
    api("POST", `${version}/conversations/${cid}/join`, { token });

  it("admits users who know the id of a conversation with a link, as plain members", async () => {
    const [ada, stranger] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada], { access: ["invite", "link"] });
    const { status, body } = await join(stranger, id);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        type: "conversation.member-join",
        from: stranger.id,
        data: { users: [{ id: stranger.id, conversation_role: "svc_member" }], add_type: "internal_add" },
      },
    });
    await eventually(async () => {
      for (const user of [ada, stranger]) expect(await eventsOf("member-join", user, id)).toEqual([body]);
    });
    expect((await join(stranger, id)).status).toBe(204);
    expect((await join(stranger, id, "/v5")).status).toBe(404);
  });

  it("is refused without a link, to users whom the access roles do not admit, and unless it is a group", async () => {
    const team = await newTeam();
    const stranger = await newUser();
    const noLink = await newConversation([team.owner], { access: ["invite", "code"] });
    expect(outcome(await join(stranger, noLink.id))).toBe("403 access-denied");
    const closed = await newConversation([team.owner], {
      team,
      access: ["link"],
      accessRoles: ["team_member"],
    });
    expect(outcome(await join(stranger, closed.id))).toBe("403 no-team-member");
    expect((await join(await team.add(), closed.id)).status).toBe(200);
    const accessRoles = ["non_team_member"] as const;
    const self = await newConversation([team.owner], {
      type: "self",
      access: ["link"],
      accessRoles: [...accessRoles],
    });
    expect(outcome(await join(stranger, self.id))).toBe("403 invalid-op");
    expect(outcome(await join(stranger, randomUUID()))).toBe("404 no-conversation");
  });

  it("is refused to those whose account is deleted", async () => {
    const [ada, gone] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada], {
      access: ["link"],
      accessRoles: ["non_team_member", "guest"],
    });
    await connectionData().markDeleted(gone);
    expect(outcome(await join(gone, id))).toBe("403 access-denied");
  });
});
