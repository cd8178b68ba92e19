import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const { store } = conversationData();

type Caller = Pick<User, "token">;

const pathOf = (cid: string, what: string, domain = localDomain) => `/conversations/${domain}/${cid}/${what}`;
const put = ({ token }: Caller, cid: string, what: string, json: unknown, domain?: string) =>
  api("PUT", pathOf(cid, what, domain), { token, json });

const twoUsers = () => Promise.all([newUser(), newUser()]);
const eventsOf = ({ token }: Caller) => storedEvents(token, /^conversation\./);

/** Changes that consist of one value, with a value to set, and what is sent for it. */
const values = [
  {
    what: "message-timer",
    type: "conversation.message-timer-update",
    body: { message_timer: 3_600_000 },
    other: { message_timer: 1000 },
    bad: [{ message_timer: "1" }, { message_timer: 1.5 }, { message_timer: 2 ** 63 }, [], "x"],
  },
  {
    what: "receipt-mode",
    type: "conversation.receipt-mode-update",
    body: { receipt_mode: 1 },
    other: { receipt_mode: -1 },
    bad: [{}, { receipt_mode: null }, { receipt_mode: 2 ** 31 }, { receipt_mode: "1" }],
  },
];

describe.concurrent.each(values)(
  "PUT /conversations/{domain}/{cid}/$what",
  ({ what, type, body, other, bad }) => {
    it("returns the members' event, or 204 when nothing changes", async () => {
      const [ada, bob] = await twoUsers();
      const { id } = await newConversation([ada, bob]);
      const changed = await put(ada, id, what, body);
      expect(changed).toMatchObject({
        status: 200,
        body: { type, conversation: id, from: ada.id, via: "user", data: body },
      });
      expect(changed.body).not.toHaveProperty("team");
      expect((await put(bob, id, what, body)).status).toBe(204);
      const again = await put(bob, id, what, other);
      expect(again.body).toMatchObject({ from: bob.id, data: other });
      await eventually(async () => {
        for (const user of [ada, bob]) expect(await eventsOf(user)).toEqual([changed.body, again.body]);
      });
    });

    it("is refused to members without the role, to strangers, for other domains and for one-to-one conversations", async () => {
      const [[ada, bob], team] = await Promise.all([twoUsers(), newTeam()]);
      const mate = await team.add();
      const { id } = await newConversation([ada, bob], { roles: { [bob.id]: "member" } });
      expect(outcome(await put(bob, id, what, body))).toBe("403 action-denied");
      expect(outcome(await put(team.owner, id, what, body))).toBe("404 no-conversation");
      expect(outcome(await put(ada, randomUUID(), what, body))).toBe("404 no-conversation");
      expect(outcome(await put(ada, id, what, body, "elsewhere.example"))).toBe(
        "422 federation-not-implemented",
      );
      const ofTeam = await newConversation([team.owner], { team });
      expect(outcome(await put(mate, ofTeam.id, what, body))).toBe("404 no-conversation");
      const pair = await newConversation([ada, bob], { type: "one-to-one" });
      expect(outcome(await put(ada, pair.id, what, body))).toBe("403 invalid-op");
    });

    it("refuses malformed values", async () => {
      const user = await newUser();
      const { id } = await newConversation([user]);
      for (const json of bad) expect(outcome(await put(user, id, what, json))).toBe("400 bad-request");
      expect(outcome(await put(user, "x", what, body))).toBe("400 bad-request");
    });

    it.each([
      ["/v0", 200],
      ["/v7", 200],
      ["/v8", 404],
    ])("has an unqualified form: %s is answered %i", async (prefix, status) => {
      const user = await newUser();
      const { id } = await newConversation([user]);
      const { token } = user;
      const answer = await api("PUT", `${prefix}/conversations/${id}/${what}`, { token, json: body });
      expect(answer.status).toBe(status);
    });
  },
);

describe.concurrent("the message timer", () => {
  it.each(["9223372036854775807", "-9223372036854775808", "9007199254740993"])(
    "keeps every digit of %s",
    async (digits) => {
      const [ada, bob] = await twoUsers();
      const { id } = await newConversation([ada, bob], { messageTimer: 1000 });
      const send = (method: string, path: string, body: string) =>
        api(method, path, { token: ada.token, body, headers: { "content-type": "application/json" } });
      const sent = `"message_timer":${digits}`;
      const changed = await send("PUT", pathOf(id, "message-timer"), `{${sent}}`);
      expect(changed.bytes.toString()).toContain(sent);
      expect((await send("PUT", pathOf(id, "message-timer"), `{${sent}}`)).status).toBe(204);
      const read = await api("GET", `/conversations/${localDomain}/${id}`, { token: bob.token });
      expect(read.bytes.toString()).toContain(sent);
      expect((await send("POST", "/v9/conversations", `{${sent}}`)).bytes.toString()).toContain(sent);
      await eventually(async () => {
        const { bytes } = await api("GET", "/notifications", { token: bob.token });
        expect(bytes.toString()).toContain(sent);
      });
      const cleared = await put(ada, id, "message-timer", {});
      expect(cleared.body.data).toEqual({ message_timer: null });
    },
  );

  it.each([{}, { message_timer: null }])("is cleared by %j", async (body) => {
    const user = await newUser();
    const { id } = await newConversation([user], { messageTimer: 1000 });
    expect(await put(user, id, "message-timer", body)).toMatchObject({
      status: 200,
      body: { data: { message_timer: null } },
    });
    expect((await store.get(id))?.messageTimer).toBeUndefined();
    expect((await put(user, id, "message-timer", body)).status).toBe(204);
  });
});

describe.concurrent("the receipt mode", () => {
  it("can be set for mixed conversations, but not for MLS", async () => {
    const team = await newTeam();
    const mls = await newConversation([team.owner], { team, protocol: "mls", receiptMode: 0 });
    for (const receipt_mode of [0, 1])
      expect(outcome(await put(team.owner, mls.id, "receipt-mode", { receipt_mode }))).toBe(
        "403 mls-receipts-not-allowed",
      );
    const mixed = await newConversation([team.owner], { team, protocol: "mixed" });
    expect((await put(team.owner, mixed.id, "receipt-mode", { receipt_mode: 1 })).status).toBe(200);
  });

  it("cannot be set in a channel by admins of the team", async () => {
    const team = await newTeam();
    const channel = { team, groupType: "channel", protocol: "mls" } as const;
    const { id } = await newConversation([team.owner], { ...channel, roles: { [team.owner.id]: "member" } });
    expect(outcome(await put(team.owner, id, "receipt-mode", { receipt_mode: 1 }))).toBe("403 action-denied");
    expect((await put(team.owner, id, "message-timer", { message_timer: 1000 })).status).toBe(200);
  });
});

describe.concurrent("PUT /conversations/{domain}/{cid}/add-permission", () => {
  const setPermission = (user: Caller, cid: string, add_permission: unknown, prefix = "") =>
    api("PUT", `${prefix}${pathOf(cid, "add-permission")}`, { token: user.token, json: { add_permission } });

  it("can be set only in channels, by admins of the conversation or by admins of the team who are in it", async () => {
    const team = await newTeam();
    const [creator, member, admin] = await Promise.all([team.add(), team.add(), team.add("admin")]);
    const roles = { [member.id]: "member", [admin.id]: "member" } as const;
    const members = [creator, member, admin];
    const { id } = await newConversation(members, {
      team,
      roles,
      groupType: "channel",
      protocol: "mls",
      addPermission: "everyone",
    });
    expect(outcome(await setPermission(member, id, "admins"))).toBe("403 action-denied");
    expect(outcome(await setPermission(team.owner, id, "admins"))).toBe("404 no-conversation");
    expect((await setPermission(creator, id, "everyone")).status).toBe(204);
    const { status, body } = await setPermission(admin, id, "admins");
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        type: "conversation.add-permission-update",
        from: admin.id,
        team: team.id,
        data: { add_permission: "admins" },
      },
    });
    await eventually(async () => {
      for (const user of members) expect(await eventsOf(user)).toEqual([body]);
    });
    const group = await newConversation([creator], { team });
    expect(outcome(await setPermission(creator, group.id, "admins"))).toBe("403 invalid-op");
    expect(outcome(await setPermission(creator, id, "nobody"))).toBe("400 bad-request");
    expect((await setPermission(creator, id, "everyone", "/v7")).status).toBe(404);
    expect((await setPermission(creator, id, "everyone", "/v8")).status).toBe(200);
  });
});

describe.concurrent("PUT /conversations/{domain}/{cid}/self", () => {
  const everything = {
    otr_muted_status: 3,
    otr_muted_ref: "2026-01-31T10:15:30.123Z",
    otr_archived: true,
    otr_archived_ref: "2026-01-31T10:15:30.124Z",
    hidden: true,
    hidden_ref: "x",
  };

  it("tells only the user, and only what was sent", async () => {
    const [ada, bob] = await twoUsers();
    const team = await newTeam();
    const { id } = await newConversation([ada, bob], { team, roles: { [ada.id]: "member" } });
    const target = { qualified_target: { domain: localDomain, id: ada.id }, target: ada.id };
    for (const json of [{ otr_archived: true }, everything]) {
      const { status, body } = await put(ada, id, "self", json);
      expect({ status, body }).toEqual({ status: 200, body: "" });
    }
    await eventually(async () => {
      const events = await eventsOf(ada);
      expect(events.map(({ data }) => data)).toEqual([
        { ...target, otr_archived: true },
        { ...target, ...everything },
      ]);
      for (const event of events) {
        expect(event).toMatchObject({ type: "conversation.member-update", from: ada.id, conversation: id });
        expect(event).not.toHaveProperty("team");
      }
    });
    expect(await eventsOf(bob)).toEqual([]);
  });

  it("keeps what was not sent, and changes neither role nor conversation", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    const before = await store.get(id);
    await put(user, id, "self", everything);
    await put(user, id, "self", { otr_archived: false, hidden: null });
    expect(await store.getMember({ conversationId: id, userId: user.id })).toEqual({
      conversationId: id,
      userId: user.id,
      role: "admin",
      mutedStatus: 3,
      mutedReference: everything.otr_muted_ref,
      isArchived: false,
      archivedReference: everything.otr_archived_ref,
      isHidden: true,
      hiddenReference: "x",
    });
    expect(await store.get(id)).toEqual(before);
  });

  it("refuses empty bodies, and invalid values", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    const bad = [
      {},
      { otr_archived: null },
      { other: true },
      { otr_archived: "true" },
      { otr_muted_status: 2 ** 31 },
      { hidden_ref: "x".repeat(257) },
      [],
    ];
    for (const json of bad) expect(outcome(await put(user, id, "self", json))).toBe("400 bad-request");
  });

  it("is allowed for members, in conversations of any type", async () => {
    const [ada, bob] = await twoUsers();
    const change = { otr_archived: true };
    const { id } = await newConversation([ada], { type: "self" });
    expect((await put(ada, id, "self", change)).status).toBe(200);
    expect(outcome(await put(bob, id, "self", change))).toBe("404 no-conversation");
    expect(outcome(await put(ada, randomUUID(), "self", change))).toBe("404 no-conversation");
    expect(outcome(await put(ada, id, "self", change, "elsewhere.example"))).toBe("404 no-conversation");
    const { token } = ada;
    expect((await api("PUT", `/v7/conversations/${id}/self`, { token, json: change })).status).toBe(200);
    expect((await api("PUT", `/v8/conversations/${id}/self`, { token, json: change })).status).not.toBe(200);
  });
});

describe.concurrent("POST /conversations/{domain}/{cid}/typing", () => {
  const type = ({ token }: Caller, cid: string, json: unknown, domain = localDomain) =>
    api("POST", pathOf(cid, "typing", domain), { token, json });

  it("reaches only the sockets of others", async () => {
    const [ada, bob] = await twoUsers();
    const { id } = await newConversation([ada, bob], { roles: { [bob.id]: "member" } });
    const [own, other] = await Promise.all([openSocket("/await", ada), openSocket("/await", bob)]);
    expect(await type(ada, id, { status: "started" })).toMatchObject({ status: 200, body: "" });
    const frame = await other.next(({ payload }) => payload[0].type === "conversation.typing");
    expect(frame).toMatchObject({
      transient: true,
      payload: [{ conversation: id, from: ada.id, data: { status: "started" } }],
    });
    await type(ada, id, { status: "started" });
    await type(bob, id, { status: "stopped" });
    await own.next(({ payload }) => payload[0].from === bob.id);
    expect(own.frames).toHaveLength(1);
    for (const user of [ada, bob]) expect(await eventsOf(user)).toEqual([]);
  });

  it("reaches nobody, but is answered as before, when a user has typed too often", async () => {
    const stack = await stackWith({ setTypingRateLimit: { burst: 2, refillSeconds: 3600 } });
    const [ada, bob] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const { id } = await conversationData(stack).newConversation([ada, bob]);
    const socket = await openSocket("/await", bob, stack);
    const send = async (user: User, status: string) =>
      outcome(await stack.publicApi("POST", pathOf(id, "typing"), { token: user.token, json: { status } }));
    for (let index = 0; index < 5; index++) expect(await send(ada, "started")).toBe("200");
    const strangers = pathOf(randomUUID(), "typing");
    const { token } = ada;
    const refused = await stack.publicApi("POST", strangers, { token, json: { status: "started" } });
    expect(outcome(refused)).toBe("404 no-conversation");
    await stack.publicApi("PUT", pathOf(id, "name"), { token, json: { name: "Engines" } });
    await socket.next(({ payload }) => payload[0].type === "conversation.rename");
    const typing = socket.frames
      .flatMap(({ payload }) => payload)
      .filter(({ type }) => type === "conversation.typing");
    expect(typing).toHaveLength(2);
  });

  it("is allowed for members, in conversations of any type", async () => {
    const [ada, bob] = await twoUsers();
    const { id } = await newConversation([ada], { type: "connection" });
    const status = "stopped";
    expect((await type(ada, id, { status })).status).toBe(200);
    expect(outcome(await type(bob, id, { status }))).toBe("404 no-conversation");
    expect(outcome(await type(ada, randomUUID(), { status }))).toBe("404 no-conversation");
    expect(outcome(await type(ada, id, { status }, "elsewhere.example"))).toBe("404 no-conversation");
    for (const json of [{ status: "paused" }, {}, { status: null }])
      expect(outcome(await type(ada, id, json))).toBe("400 bad-request");
    const { token } = ada;
    const path = `/conversations/${id}/typing`;
    expect((await api("POST", `/v2${path}`, { token, json: { status } })).status).toBe(200);
    expect((await api("POST", `/v3${path}`, { token, json: { status } })).status).not.toBe(200);
  });
});
