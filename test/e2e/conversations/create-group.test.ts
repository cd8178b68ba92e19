import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import {
  connectionData,
  connectUsers,
  localDomain,
  requestConnection,
  updateConnection,
} from "../../support/connections.ts";
import { conversationData, createConversation, qualified } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, register, type User } from "../../support/users.ts";

const { store } = conversationData();
const defaultRoles = ["team_member", "non_team_member", "service"];

/** Two connected users. */
async function newPair(): Promise<[User, User]> {
  const [one, other] = await Promise.all([newUser(), newUser()]);
  await connectUsers(one, other);
  return [one, other];
}

const others = (...users: readonly User[]) =>
  users.map(({ id }) => ({
    qualified_id: { domain: localDomain, id },
    id,
    conversation_role: "svc_admin",
    status: 0,
  }));

const self = ({ id }: User) => ({
  qualified_id: { domain: localDomain, id },
  id,
  conversation_role: "svc_admin",
  status: 0,
  service: null,
  status_ref: "0.0",
  status_time: "1970-01-01T00:00:00.000Z",
  otr_muted_status: null,
  otr_muted_ref: null,
  otr_archived: false,
  otr_archived_ref: null,
  hidden: false,
  hidden_ref: null,
});

/** The events that tell a user of new conversations, in order. */
const createEvents = ({ token }: User, id: string) =>
  storedEvents(token, "conversation.create").then((events) =>
    events.filter(({ conversation }) => conversation === id),
  );

const refusal = (status: number, label: string) => ({ status, body: { code: status, label } });

describe.concurrent("POST /conversations", () => {
  it("creates a group of connected users, all of them admins", async () => {
    const [ada, bob] = await newPair();
    const { status, body, headers } = await createConversation(ada, { with: [bob], name: "Engines" });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        qualified_id: { domain: localDomain, id: body.id },
        id: expect.any(String),
        type: 0,
        creator: ada.id,
        access: ["invite"],
        access_role: defaultRoles,
        name: "Engines",
        last_event: "0.0",
        last_event_time: "1970-01-01T00:00:00.000Z",
        team: null,
        message_timer: null,
        receipt_mode: null,
        group_conv_type: "group_conversation",
        add_permission: null,
        cells_state: "disabled",
        protocol: "proteus",
        members: { self: self(ada), others: others(bob) },
        failed_to_add: [],
      },
    });
    expect(headers.get("location")).toBe(body.id);
  });

  it("tells each member, in the form of version 2 with its own entry", async () => {
    const [ada, bob] = await newPair();
    const carl = await newUser();
    await connectUsers(ada, carl);
    const { body } = await createConversation(ada, { with: [bob, carl], name: "Engines" });
    const views: [User, User[]][] = [
      [ada, [bob, carl]],
      [bob, [ada, carl]],
      [carl, [ada, bob]],
    ];
    for (const [member, rest] of views) {
      const [event] = await eventually(async () => {
        const events = await createEvents(member, body.id);
        expect(events).toHaveLength(1);
        return events;
      });
      expect(event).toEqual({
        type: "conversation.create",
        conversation: body.id,
        qualified_conversation: { domain: localDomain, id: body.id },
        from: ada.id,
        qualified_from: { domain: localDomain, id: ada.id },
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        via: "user",
        data: {
          qualified_id: { domain: localDomain, id: body.id },
          id: body.id,
          type: 0,
          creator: ada.id,
          access: ["invite"],
          access_role: "activated",
          access_role_v2: defaultRoles,
          name: "Engines",
          last_event: "0.0",
          last_event_time: "1970-01-01T00:00:00.000Z",
          team: null,
          message_timer: null,
          receipt_mode: null,
          group_conv_type: "group_conversation",
          add_permission: null,
          cells_state: "disabled",
          protocol: "proteus",
          members: { self: self(member), others: expect.arrayContaining(others(...rest)) },
        },
      });
      expect(event?.data).toMatchObject({ members: { others: { length: rest.length } } });
    }
  });

  it("creates a group that contains only its creator", async () => {
    const ada = await newUser();
    const { status, body } = await createConversation(ada);
    expect({ status, others: body.members.others }).toEqual({ status: 201, others: [] });
  });

  it("creates a new group when repeated", async () => {
    const ada = await newUser();
    const ids = await Promise.all([1, 2].map(async () => (await createConversation(ada)).body.id));
    expect(new Set(ids).size).toBe(2);
  });

  it("merges both lists of users, and leaves out the caller", async () => {
    const [ada, bob] = await newPair();
    const carl = await newUser();
    await connectUsers(ada, carl);
    const { status, body } = await createConversation(ada, {
      users: [bob.id, ada.id, carl.id.toUpperCase()],
      qualified_users: qualified(bob, ada).map((user) => ({ ...user, domain: localDomain.toUpperCase() })),
    });
    expect(status).toBe(201);
    const ids: string[] = body.members.others.map(({ id }: { id: string }) => id);
    expect(ids.toSorted()).toEqual([bob.id, carl.id].toSorted());
  });

  it("refuses a user who is neither connected nor a team mate", async () => {
    const [ada, carl] = await Promise.all([newUser(), newUser()]);
    const create = (...users: { id: string }[]) => createConversation(ada, { with: users });
    const refused = refusal(403, "not-connected");
    expect(await create(carl)).toMatchObject(refused);
    expect(await create({ id: randomUUID() })).toMatchObject(refused);
    await requestConnection(ada, carl);
    expect(await create(carl)).toMatchObject(refused);
    await updateConnection(carl, ada, "accepted");
    expect(await create(carl)).toMatchObject({ status: 201 });
    expect(await create(carl, { id: randomUUID() })).toMatchObject(refused);
    await updateConnection(carl, ada, "blocked");
    expect(await create(carl)).toMatchObject(refused);
  });

  it("refuses a user whom the caller has blocked, or whose account is deleted", async () => {
    const [ada, bob] = await newPair();
    const [, carl] = await Promise.all([updateConnection(ada, bob, "blocked"), newUser()]);
    expect(await createConversation(ada, { with: [bob] })).toMatchObject(refusal(403, "not-connected"));
    await connectUsers(ada, carl);
    await connectionData().markDeleted(carl);
    expect(await createConversation(ada, { with: [carl] })).toMatchObject(refusal(403, "not-connected"));
  });

  it("counts team mates as connected, even if the group belongs to no team", async () => {
    const team = await newTeam();
    const mate = await team.add();
    const { status, body } = await createConversation(team.owner, { with: [mate] });
    expect({ status, team: body.team }).toEqual({ status: 201, team: null });
  });

  it("refuses partners and anonymous users, before it checks the users", async () => {
    const team = await newTeam();
    const [partner, stranger] = await Promise.all([team.add("partner"), newUser()]);
    const refused = refusal(403, "operation-denied");
    expect(await createConversation(partner, { with: [team.owner] })).toMatchObject(refused);
    expect(await createConversation(partner, { with: [stranger] })).toMatchObject(refused);
    const anonymous = await register({ email: undefined });
    const login = await api("POST", "/access", { cookie: anonymous.cookie });
    const token: string = login.body.access_token;
    expect(await createConversation({ token }, { with: [stranger] })).toMatchObject(refused);
  });

  it("refuses a channel outside a team, and a group without its creator", async () => {
    const [ada, stranger] = await Promise.all([newUser(), newUser()]);
    const refused = refusal(403, "operation-denied");
    expect(await createConversation(ada, { with: [stranger], group_conv_type: "channel" })).toMatchObject(
      refused,
    );
    expect(await createConversation(ada, { skip_creator: true })).toMatchObject(refused);
    expect(await createConversation(ada, { skip_creator: true, version: 8 })).toMatchObject({ status: 201 });
  });

  it("stores the properties in the request", async () => {
    const [ada, bob] = await newPair();
    const fields = {
      access: ["code", "invite", "code"],
      access_role: ["guest", "team_member"],
      message_timer: 3_600_000,
      receipt_mode: 1,
      cells: true,
      add_permission: "admins",
    };
    const { body } = await createConversation(ada, {
      with: [bob],
      ...fields,
      conversation_role: "svc_member",
    });
    expect(body).toMatchObject({
      access: ["invite", "code"],
      access_role: ["team_member", "guest"],
      message_timer: 3_600_000,
      receipt_mode: 1,
      cells_state: "pending",
      add_permission: null,
      members: {
        self: { conversation_role: "svc_admin" },
        others: [{ id: bob.id, conversation_role: "svc_member" }],
      },
    });
  });

  it("treats null as absent", async () => {
    const ada = await newUser();
    const names = ["users", "qualified_users", "name", "access", "access_role", "team", "message_timer"];
    const rest = [
      "receipt_mode",
      "conversation_role",
      "protocol",
      "group_conv_type",
      "cells",
      "add_permission",
    ];
    const fields = Object.fromEntries([...names, ...rest, "skip_creator"].map((name) => [name, null]));
    expect(await createConversation(ada, fields)).toMatchObject({
      status: 201,
      body: { access: ["invite"], access_role: defaultRoles, name: null },
    });
  });

  it("treats an empty list of access as `invite`, and an empty list of access roles as nobody", async () => {
    const [ada, bob] = await newPair();
    expect(await createConversation(ada, { with: [bob], access: [], access_role: [] })).toMatchObject({
      status: 201,
      body: { access: ["invite"], access_role: [] },
    });
  });

  it("refuses an unknown role", async () => {
    const fields = { conversation_role: "svc_owner" };
    expect(await createConversation(await newUser(), fields)).toMatchObject(refusal(400, "bad-request"));
  });

  it.for(["x", "🙂"])("accepts a name of 256 times %s", async (character) => {
    const name = character.repeat(256);
    expect(await createConversation(await newUser(), { name })).toMatchObject({
      status: 201,
      body: { name },
    });
  });

  it("writes access roles as versions before 3 read them", async () => {
    const ada = await newUser();
    const create = async (fields: object) => (await createConversation(ada, { version: 2, ...fields })).body;
    expect(await create({ access_role: "non_activated" })).toMatchObject({
      access_role: "non_activated",
      access_role_v2: ["team_member", "non_team_member", "guest", "service"],
    });
    expect(await create({ access_role: "private", access_role_v2: ["guest"] })).toMatchObject({
      access_role: "non_activated",
      access_role_v2: ["guest"],
    });
    expect(await create({ access_role: "team" })).toMatchObject({ access_role_v2: ["team_member"] });
    const byDefault = await create({});
    expect(byDefault).toMatchObject({ access_role: "activated", access_role_v2: defaultRoles });
    expect(byDefault).not.toHaveProperty("failed_to_add");
    const inVersion3 = (await createConversation(ada, { version: 3 })).body;
    expect(inVersion3).toMatchObject({ access_role: defaultRoles });
    expect(inVersion3).not.toHaveProperty("access_role_v2");
    expect(inVersion3).not.toHaveProperty("failed_to_add");
    expect((await createConversation(ada, { version: 4 })).body).toMatchObject({ failed_to_add: [] });
  });

  it("names the unreachable domains, from version 4 on, before it checks anything else", async () => {
    const ada = await newUser();
    const users = ["one.example.org", "two.example.org", "one.example.org"].map((domain) => ({
      domain,
      id: randomUUID(),
    }));
    const create = (version: number) =>
      createConversation(ada, { version, qualified_users: [...users, ...qualified({ id: randomUUID() })] });
    const domains = { unreachable_backends: ["one.example.org", "two.example.org"] };
    expect(await create(9)).toMatchObject({ status: 533, body: domains });
    expect(await create(4)).toMatchObject({ status: 533, body: domains });
    expect(await create(3)).toMatchObject(refusal(533, "federation-connection-refused"));
    expect(await create(0)).toMatchObject(refusal(533, "federation-connection-refused"));
  });

  it("leaves the users' lists unchanged when it is refused", async () => {
    const [ada, bob] = await newPair();
    await createConversation(ada, { with: [bob, { id: randomUUID() }] });
    const listed = await Promise.all([ada, bob].map(({ id }) => store.listOfUser(id, { limit: 10 })));
    expect(listed.flat().filter(({ teamId }) => teamId !== undefined)).toEqual([]);
    const groups = await Promise.all(listed.flat().map(({ conversationId }) => store.get(conversationId)));
    expect(groups.filter((conversation) => conversation?.type === "regular")).toEqual([]);
  });

  it("creates 20 concurrent groups of the same users", async () => {
    const [ada, bob] = await newPair();
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        createConversation(number % 2 === 0 ? ada : bob, { with: [ada, bob], name: `Group ${number}` }),
      ),
    );
    expect(created.map(({ status }) => status)).toEqual(Array(20).fill(201));
    const ids = created.map(({ body }) => body.id);
    await eventually(async () => {
      const told = await storedEvents(bob.token, "conversation.create");
      const toldIds = told.map(({ conversation }) => conversation);
      expect(toldIds.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
    });
  });
});

describe.concurrent("POST /conversations with MLS", () => {
  it("creates a group without other members, in epoch 0 and without read receipts", async () => {
    const ada = await newUser();
    const { status, body } = await createConversation(ada, { protocol: "mls", receipt_mode: 1 });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { protocol: "mls", epoch: 0, receipt_mode: 0, group_id: expect.any(String) },
    });
    expect(body).not.toHaveProperty("epoch_timestamp");
    expect(body).not.toHaveProperty("cipher_suite");
    const [event] = await eventually(async () => {
      const events = await createEvents(ada, body.id);
      expect(events).toHaveLength(1);
      return events;
    });
    expect(event?.data).toMatchObject({
      group_id: body.group_id,
      epoch: 0,
      epoch_timestamp: null,
      cipher_suite: 1,
    });
  });

  it("shows the time of the epoch and the cipher suite of epoch 0 up to version 5", async () => {
    const ada = await newUser();
    const { body } = await createConversation(ada, { protocol: "mls", version: 5 });
    expect(body).toMatchObject({ epoch: 0, epoch_timestamp: null, cipher_suite: 1 });
  });

  it("refuses a list of users before it checks their number or any rights", async () => {
    const [ada, stranger] = await Promise.all([newUser(), newUser()]);
    expect(await createConversation(ada, { protocol: "mls", with: [stranger] })).toMatchObject(
      refusal(400, "non-empty-member-list"),
    );
    const { status } = await createConversation(ada, { protocol: "mls", users: [ada.id] });
    expect(status).toBe(201);
  });
});
