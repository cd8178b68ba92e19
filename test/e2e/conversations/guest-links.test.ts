import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { accountEditor } from "../../support/accounts.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newAuthorization } from "../../support/oauth.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, register, type User } from "../../support/users.ts";

type Caller = Pick<User, "token">;
type Place = { id: string };
type Link = { key: string; code: string };

const open = { access: ["invite", "code"] as ("invite" | "code")[] };
const password = "correct horse battery";

const create = ({ id }: Place, { token }: Caller, json: object = {}, version = "/v8") =>
  api("POST", `${version}/conversations/${id}/code`, { token, json });
const get = ({ id }: Place, { token }: Caller) => api("GET", `/conversations/${id}/code`, { token });
const remove = ({ id }: Place, { token }: Caller) => api("DELETE", `/conversations/${id}/code`, { token });
const join = ({ key, code }: Link, { token }: Caller, more: object = {}) =>
  api("POST", "/conversations/join", { token, json: { key, code, ...more } });
const preview = ({ key, code }: Link, { token }: Caller) =>
  api("GET", `/conversations/join?${new URLSearchParams({ key, code })}`, { token });
const check = ({ key, code }: Link) => api("POST", "/conversations/code-check", { json: { key, code } });
const status = ({ id }: Place, { token }: Caller) =>
  api("GET", `/conversations/${id}/features/conversationGuestLinks`, { token });

const switchFeature = async ({ id }: Pick<Team, "id">, word: "enabled" | "disabled") => {
  const path = `/i/teams/${id}/features/conversationGuestLinks`;
  expect((await internalApi("PATCH", path, { json: { status: word } })).status).toBe(200);
};

/** Create a conversation with a guest link. */
async function newLink(
  members: readonly [User, ...User[]],
  { request = {}, ...fields }: Parameters<typeof newConversation>[1] & { request?: object } = {},
) {
  const place = await newConversation(members, { ...open, ...fields });
  const { status: created, body } = await create(place, members[0], request);
  expect(created).toBe(201);
  return { ...place, ...(body.data as Link & { uri: string }) };
}

/** Create an anonymous user. */
async function newGuest(): Promise<User> {
  const { body, cookie = "" } = await register({});
  const renewed = await api("POST", "/access", { cookie });
  return { id: body.id, email: "", password: "", cookie, token: renewed.body.access_token };
}

const isMember = async ({ id }: Place, { id: userId }: Pick<User, "id">) =>
  (await conversationData().store.getMember({ conversationId: id, userId })) !== undefined;

const eventsOf = ({ token }: Caller, type: string) => storedEvents(token, `conversation.${type}`);
/** Events of a type that a user has got, once there are this many. */
const told = (caller: Caller, type: string, count = 1) =>
  eventually(async () => {
    const events = await eventsOf(caller, type);
    expect(events).toHaveLength(count);
    return events;
  });
const outcomes = (answers: readonly ApiAnswer[]) => answers.map(outcome).sort();

describe.concurrent("creating a guest link", () => {
  it("answers with the event that all members get", async () => {
    const [admin, member, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    const place = await newConversation([admin, member], { ...open, roles: { [member.id]: "member" } });
    const { status: created, body } = await create(place, admin);

    const { key, code } = body.data;
    expect(created).toBe(201);
    expect(body).toMatchObject({
      type: "conversation.code-update",
      conversation: place.id,
      qualified_conversation: { id: place.id, domain: "parley.localhost" },
      from: admin.id,
      data: {
        key: expect.stringMatching(/^[\w-]{20}$/),
        code: expect.stringMatching(/^[\w-]{20}$/),
        uri: expect.stringMatching(new RegExp(`^http.*/conversation-join/\\?key=${key}&code=${code}$`)),
        has_password: false,
      },
    });
    for (const one of [admin, member]) {
      expect(await told(one, "code-update", 1)).toEqual([body]);
      expect(await get(place, one)).toMatchObject({ status: 200, body: body.data });
    }
    expect(await eventsOf(stranger, "code-update")).toEqual([]);
  });

  it("returns the existing link without a password, and a conflict with one", async () => {
    const admin = await newUser();
    const { id, ...link } = await newLink([admin]);
    expect(await create({ id }, admin)).toMatchObject({
      status: 200,
      body: { ...link, has_password: false },
    });
    expect(outcome(await create({ id }, admin, { password }))).toBe("409 create-conv-code-conflict");

    const protectedLink = await newLink([admin], { request: { password } });
    expect(outcome(await create(protectedLink, admin))).toBe("409 create-conv-code-conflict");
    expect((await get(protectedLink, admin)).body).toMatchObject({
      code: protectedLink.code,
      has_password: true,
    });
  });

  it("creates one link when repeated concurrently", async () => {
    const [admin, other] = await Promise.all([newUser(), newUser()]);
    const place = await newConversation([admin, other], open);
    const answers = await Promise.all(
      [admin, other, admin, other, admin, other].map((one) => create(place, one)),
    );
    expect(outcomes(answers)).toEqual(["200", "200", "200", "200", "200", "201"]);
    const codes = answers.map(({ body }) => body.data?.code ?? body.code);
    expect(new Set(codes)).toEqual(new Set([(await get(place, admin)).body.code]));
    await told(other, "code-update", 1);
  });

  it("accepts passwords of 8 to 1024 characters", async () => {
    const admin = await newUser();
    const place = await newConversation([admin], open);
    for (const wrong of ["1234567", "x".repeat(1025), 12345678])
      expect(outcome(await create(place, admin, { password: wrong }))).toBe("400 bad-request");
    const longest = "x".repeat(1024);
    const { body } = await create(place, admin, { password: longest });
    expect(outcome(await join(body.data, await newUser(), { password: longest }))).toBe("200");
    await newLink([admin], { request: { password: "12345678" } });
  });

  it("returns a body from version 4 on, and accepts no password before", async () => {
    const admin = await newUser();
    const place = await newConversation([admin], open);
    const bare = (version: string) =>
      api("POST", `${version}/conversations/${place.id}/code`, { token: admin.token });
    expect(outcome(await bare("/v4"))).toBe("400 bad-request");
    expect(outcome(await bare("/v3"))).toBe("201");
    expect(outcome(await bare("/v0"))).toBe("200");
    expect(outcome(await create(place, admin, { password }, "/v3"))).toBe("200");
    expect(outcome(await create(place, admin, { password }, "/v4"))).toBe("409 create-conv-code-conflict");
  });

  it("is reserved for admins of conversations that admit guests", async () => {
    const [team, otherTeam, admin, member, stranger] = await Promise.all([
      newTeam(),
      newTeam(),
      newUser(),
      newUser(),
      newUser(),
    ]);
    const mate = await team.add("admin");
    const roles = { [member.id]: "member" } as const;
    const members = [admin, member, team.owner];
    const group = await newConversation([admin, member], { ...open, roles });
    const ofTeam = await newConversation(members, { ...open, roles, team });
    for (const change of [create, remove]) {
      expect(outcome(await change({ id: randomUUID() }, admin))).toBe("404 no-conversation");
      for (const place of [group, ofTeam]) {
        for (const one of [stranger, otherTeam.owner, mate])
          expect(outcome(await change(place, one))).toBe("404 no-conversation");
        expect(outcome(await change(place, member))).toBe("403 access-denied");
      }
      const closed = await newConversation([admin], { access: ["invite", "link"] });
      expect(outcome(await change(closed, admin))).toBe("403 access-denied");
      const internal = await newConversation([admin], { ...open, accessRoles: ["team_member", "service"] });
      expect(outcome(await change(internal, admin))).toBe("403 access-denied");
    }
    const forGuests = await newConversation([admin], { ...open, accessRoles: ["guest"] });
    expect(outcome(await create(forGuests, admin))).toBe("201");
  });

  it("is allowed in a channel for an admin of its team who is not in it", async () => {
    const [team, otherTeam] = await Promise.all([newTeam(), newTeam()]);
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const channel = await newConversation([], { ...open, team, groupType: "channel", protocol: "mls" });
    for (const one of [member, otherTeam.owner]) {
      for (const call of [create, remove, status])
        expect(outcome(await call(channel, one))).toBe("404 no-conversation");
    }
    expect(outcome(await create(channel, admin))).toBe("201");
    expect(outcome(await status(channel, admin))).toBe("200");
    expect(outcome(await get(channel, admin))).toBe("404 no-conversation");
    expect(outcome(await remove(channel, team.owner))).toBe("200");
  });

  it("is open to apps with its scope, unlike all other operations on links", async () => {
    const [allowed, other] = await Promise.all([
      newAuthorization({ scope: "write:conversations_code" }),
      newAuthorization({ scope: "write:conversations" }),
    ]);
    const app = { token: allowed.tokens.access_token };
    const place = await newConversation([allowed.user, other.user], open);
    expect((await create(place, { token: other.tokens.access_token })).status).toBe(403);
    const created = await create(place, app);
    expect(outcome(created)).toBe("201");
    const link = created.body.data;
    for (const call of [get, remove, status]) expect((await call(place, app)).status).toBe(403);
    for (const call of [join, preview]) expect((await call(link, app)).status).toBe(403);
  });
});

describe.concurrent("the guest link of a conversation", () => {
  it("is shown only to members, while the conversation admits guests by code", async () => {
    const [admin, member, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    const roles = { [member.id]: "member" } as const;
    const place = await newConversation([admin, member], { ...open, roles });
    expect(outcome(await get(place, member))).toBe("404 no-conversation-code");
    await create(place, admin);
    expect(outcome(await get(place, member))).toBe("200");
    expect(outcome(await get(place, stranger))).toBe("404 no-conversation");
    expect(outcome(await get({ id: randomUUID() }, admin))).toBe("404 no-conversation");
    const closed = await newConversation([admin]);
    for (const one of [admin, stranger]) expect(outcome(await get(closed, one))).toBe("403 access-denied");
  });

  it("admits nobody once it is removed, and members are told", async () => {
    const [admin, member, guest] = await Promise.all([newUser(), newUser(), newUser()]);
    const link = await newLink([admin, member]);
    const removed = await remove(link, admin);
    expect(removed).toMatchObject({
      status: 200,
      body: { type: "conversation.code-delete", conversation: link.id, from: admin.id, data: null },
    });
    const later = [
      await join(link, guest),
      await preview(link, guest),
      await check(link),
      await get(link, admin),
    ];
    expect(outcomes(later)).toEqual(Array(4).fill("404 no-conversation-code"));
    for (const one of [admin, member]) {
      expect(await told(one, "code-delete", 1)).toEqual([removed.body]);
    }

    const next = (await create(link, admin)).body.data;
    expect(next.key).toBe(link.key);
    expect(next.code).not.toBe(link.code);
    expect(outcome(await join(link, guest))).toBe("404 no-conversation-code");
    expect(outcome(await join(next, guest))).toBe("200");
  });

  it("is removed with an event even if it does not exist", async () => {
    const admin = await newUser();
    const place = await newConversation([admin], open);
    expect((await remove(place, admin)).body).toMatchObject({ type: "conversation.code-delete", data: null });
    expect(outcome(await remove(place, admin))).toBe("200");
  });

  it("is deleted with the conversation, even if somebody uses it meanwhile", async () => {
    const team = await newTeam();
    const guests = await Promise.all(Array.from({ length: 6 }, () => newUser()));
    const link = await newLink([team.owner], { team });
    const answers = await Promise.all([
      ...guests.slice(0, 3).map((guest) => join(link, guest)),
      api("DELETE", `/teams/${team.id}/conversations/${link.id}`, team.owner),
      ...guests.slice(3).map((guest) => join(link, guest)),
    ]);
    expect(answers[3]?.status).toBe(200);
    for (const answer of answers)
      expect(["200", "404 no-conversation", "404 no-conversation-code"]).toContain(outcome(answer));
    for (const call of [join, preview])
      expect(outcome(await call(link, team.owner))).toBe("404 no-conversation-code");
    const { store } = conversationData();
    await eventually(async () => {
      for (const { id } of guests) expect(await store.listOfUser(id, { limit: 1 })).toEqual([]);
    });
  });

  it("is removed when the conversation stops admitting guests by code, and does not come back", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    const setAccess = (access: readonly string[]) =>
      api("PUT", `/v8/conversations/${localDomain}/${link.id}/access`, {
        token: admin.token,
        json: { access, access_role: ["team_member", "non_team_member", "guest"] },
      });
    expect(outcome(await setAccess(["invite", "code"]))).toBe("200");
    expect(outcome(await check(link))).toBe("200");
    const [joined, closed] = await Promise.all([join(link, guest), setAccess(["invite"])]);
    expect(outcome(closed)).toBe("200");
    expect(["200", "403 access-denied", "404 no-conversation-code"]).toContain(outcome(joined));
    expect(await isMember(link, guest)).toBe(joined.status === 200);

    for (const call of [join, preview])
      expect(outcome(await call(link, admin))).toBe("404 no-conversation-code");
    expect(outcome(await get(link, admin))).toBe("403 access-denied");
    await setAccess(["invite", "code"]);
    expect(outcome(await get(link, admin))).toBe("404 no-conversation-code");
    expect(await eventsOf(admin, "code-delete")).toEqual([]);
    expect(outcome(await create(link, admin))).toBe("201");
  });

  it("is unknown when the conversation is gone", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    const { store } = conversationData();
    const found = await store.get(link.id);
    if (found === undefined) throw new Error("No conversation");
    await transact(createDynamo(), store.bury(found).writes);
    for (const call of [get, remove, status, create])
      expect(outcome(await call(link, admin))).toBe("404 no-conversation");
    for (const call of [join, preview]) expect(outcome(await call(link, guest))).toBe("404 no-conversation");
    expect(outcome(await check(link))).toBe("404 no-conversation-code");
  });

  it("does not work while the team has the feature switched off", async () => {
    const [team, guest] = await Promise.all([newTeam(), newUser()]);
    const member = await team.add();
    const link = await newLink([team.owner, member], { team, roles: { [member.id]: "member" } });
    expect((await status(link, team.owner)).body).toEqual({
      status: "enabled",
      lockStatus: "unlocked",
      ttl: "unlimited",
    });

    await switchFeature(team, "disabled");
    expect((await status(link, team.owner)).body.status).toBe("disabled");
    const disabled = "409 guest-links-disabled";
    expect(outcome(await create(link, team.owner))).toBe(disabled);
    expect(outcome(await get(link, member))).toBe(disabled);
    for (const call of [join, preview]) expect(outcome(await call(link, guest))).toBe(disabled);
    expect(outcome(await check(link))).toBe("404 no-conversation-code");
    // The feature is checked first, so strangers learn no more than that.
    expect(outcome(await create(link, guest))).toBe(disabled);

    await switchFeature(team, "enabled");
    expect(outcome(await check(link))).toBe("200");
    expect((await get(link, member)).body.code).toBe(link.code);
    expect(outcome(await join(link, guest))).toBe("200");
    await switchFeature(team, "disabled");
    expect(outcome(await remove(link, team.owner))).toBe("200");
  });

  it("has a status that admins of the conversation may read", async () => {
    const [admin, member, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    const place = await newConversation([admin, member], { roles: { [member.id]: "member" } });
    expect((await status(place, admin)).body).toMatchObject({ status: "enabled" });
    expect(outcome(await status(place, member))).toBe("403 access-denied");
    expect(outcome(await status(place, stranger))).toBe("404 no-conversation");
    expect(outcome(await status({ id: randomUUID() }, admin))).toBe("404 no-conversation");
  });
});

describe.concurrent("joining by a guest link", () => {
  it("makes the user a member with few rights, and tells everybody", async () => {
    const [admin, member, guest] = await Promise.all([newUser(), newUser(), newUser()]);
    const link = await newLink([admin, member], { name: "Engines" });
    const joined = await join(link, guest);
    expect(joined).toMatchObject({
      status: 200,
      body: {
        type: "conversation.member-join",
        conversation: link.id,
        from: guest.id,
        data: {
          users: [{ id: guest.id, conversation_role: "svc_member" }],
          user_ids: [guest.id],
          add_type: "internal_add",
        },
      },
    });
    for (const one of [admin, member, guest]) {
      expect(await told(one, "member-join", 1)).toEqual([joined.body]);
    }
    expect(await isMember(link, guest)).toBe(true);
    for (const one of [guest, admin]) expect(outcome(await join(link, one))).toBe("204");
    expect(outcome(await create(link, guest))).toBe("403 access-denied");
    expect(outcome(await get(link, guest))).toBe("200");
    expect(await eventsOf(admin, "member-join")).toHaveLength(1);
  });

  it("needs the password of the link", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin], { request: { password } });
    expect((await preview(link, guest)).body).toEqual({ id: link.id, has_password: true });
    expect(outcome(await check(link))).toBe("200");
    expect(outcome(await join(link, guest))).toBe("403 invalid-conversation-password");
    const wrong = { password: "not the password" };
    expect(outcome(await join(link, guest, wrong))).toBe("403 invalid-conversation-password");
    expect(outcome(await join(link, guest, { password: "short" }))).toBe("403 invalid-conversation-password");
    expect(outcome(await join({ ...link, code: randomUUID() }, guest, { password }))).toBe(
      "404 no-conversation-code",
    );
    expect(await isMember(link, guest)).toBe(false);
    const joined = await join(link, guest, { password });
    expect(joined.body.data.users).toMatchObject([{ conversation_role: "svc_member" }]);
    expect(outcome(await join(link, guest, { password }))).toBe("204");
    expect(outcome(await join(link, guest, wrong))).toBe("403 invalid-conversation-password");
  });

  it("ignores a password if the link has none", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    expect(outcome(await join(link, guest, { password, uri: link.uri }))).toBe("200");
  });

  it("is refused in the same way for unknown, foreign and altered links", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const [link, other] = await Promise.all([newLink([admin]), newLink([admin])]);
    const empty = await newConversation([admin], open);
    const forged = [
      { key: link.key, code: other.code },
      { key: other.key, code: link.code },
      { key: link.key, code: link.code.toLowerCase() === link.code ? "x" : link.code.toLowerCase() },
      { key: link.key, code: `${link.code}A` },
      { key: link.code, code: link.key },
      { key: "x", code: link.code },
      { key: empty.id, code: link.code },
      { key: link.id, code: link.code },
    ];
    for (const presented of forged) {
      const answers = [await join(presented, guest), await preview(presented, guest), await check(presented)];
      expect(outcomes(answers)).toEqual(Array(3).fill("404 no-conversation-code"));
      expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
    }
    expect(await isMember(link, guest)).toBe(false);
  });

  it("accepts only letters, digits, - and _, of limited length", async () => {
    const guest = await newUser();
    const right = { key: "key", code: "code" };
    const wrong = ["", " ", "a b", "é", "a/b", "#", "x".repeat(65), "\u0000"];
    for (const text of wrong) {
      for (const presented of [
        { ...right, key: text },
        { ...right, code: text },
      ]) {
        const answers = [
          await join(presented, guest),
          await preview(presented, guest),
          await check(presented),
        ];
        expect(outcomes(answers)).toEqual(Array(3).fill("400 bad-request"));
      }
    }
    for (const json of [{}, { key: "key" }, { code: "code" }, { key: 1, code: 2 }, [], "text", null]) {
      expect(outcome(await api("POST", "/conversations/join", { token: guest.token, json }))).toBe(
        "400 bad-request",
      );
      expect(outcome(await api("POST", "/conversations/code-check", { json }))).toBe("400 bad-request");
    }
    expect(outcome(await api("GET", "/conversations/join?key=key", guest))).toBe("400 bad-request");
    expect((await api("POST", "/conversations/join", { json: right })).status).toBe(401);
  });

  it("depends on the present access and access roles of the conversation", async () => {
    const [team, admin, user, guest] = await Promise.all([newTeam(), newUser(), newUser(), newGuest()]);
    const mate = await team.add();
    const link = await newLink([admin], { team });
    const { store } = conversationData();
    const set = async (fields: Parameters<typeof store.change>[1]["fields"]) => {
      const found = await store.get(link.id);
      if (found === undefined) throw new Error("No conversation");
      await transact(createDynamo(), store.change(found, { fields: { ...fields } }).writes);
    };
    const tryAll = async () => {
      const shown = await Promise.all([mate, user, guest].map((one) => preview(link, one)));
      const joined = await Promise.all([mate, user, guest].map((one) => join(link, one)));
      expect(joined.map(outcome)).toEqual(shown.map(outcome));
      return joined.map(outcome);
    };
    await set({ access: ["invite", "link"] });
    expect(await tryAll()).toEqual(Array(3).fill("403 access-denied"));
    await set({ access: ["code"], accessRoles: [] });
    expect(await tryAll()).toEqual(Array(3).fill("403 access-denied"));
    await set({ accessRoles: ["service"] });
    expect(await tryAll()).toEqual(
      ["403 access-denied", "403 no-team-member", "403 no-team-member"].with(0, "200"),
    );
  });

  it("admits anonymous users to conversations that are open to guests", async () => {
    const [admin, guest] = await Promise.all([newUser(), newGuest()]);
    const [link, closed] = await Promise.all([
      newLink([admin], { accessRoles: ["non_team_member", "guest"] }),
      newLink([admin], { accessRoles: ["non_team_member"] }),
    ]);
    for (const call of [join, preview]) expect(outcome(await call(closed, guest))).toBe("403 access-denied");
    expect(outcome(await join(link, guest))).toBe("200");
  });

  it("is possible only in groups, including MLS groups", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const mls = await newLink([admin], { protocol: "mls", group: { groupId: "AAAA", epoch: 0 } });
    expect(outcome(await join(mls, guest))).toBe("200");
    for (const type of ["one-to-one", "connection", "self"] as const)
      expect(outcome(await join(await newLink([admin], { type }), guest))).toBe("403 invalid-op");
  });

  it("is possible again for a user who has left", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    await join(link, guest);
    const { store } = conversationData();
    const found = await store.get(link.id);
    if (found === undefined) throw new Error("No conversation");
    const leaving = [{ conversationId: link.id, userId: guest.id }];
    await transact(createDynamo(), store.change(found, { leaving }).writes);
    expect(outcome(await join(link, guest))).toBe("200");
  });

  it("is refused to a deleted account", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin]);
    await accountEditor().change(guest, { status: "deleted" });
    for (const call of [join, preview]) expect(outcome(await call(link, guest))).toBe("403 access-denied");
    expect(await isMember(link, guest)).toBe(false);
  });

  it("is either complete before a concurrent removal of the link, or refused", async () => {
    const admin = await newUser();
    const guests = await Promise.all(Array.from({ length: 8 }, () => newUser()));
    const link = await newLink([admin]);
    const joining = guests.slice(0, 4).map((guest) => join(link, guest));
    const removal = remove(link, admin);
    const answers = await Promise.all([...joining, ...guests.slice(4).map((guest) => join(link, guest))]);
    const { body } = await removal;
    const joined = answers.filter(({ status: result }) => result === 200);
    expect(outcomes(answers.filter((one) => !joined.includes(one)))).toEqual(
      Array(8 - joined.length).fill("404 no-conversation-code"),
    );
    for (const { body: event } of joined) expect(event.time < body.time).toBe(true);
    const inside = await Promise.all(guests.map((guest) => isMember(link, guest)));
    expect(inside).toEqual(answers.map((one) => joined.includes(one)));
  });

  it("succeeds for a dozen concurrent users, who are announced one after the other", async () => {
    const admin = await newUser();
    const guests = await Promise.all(Array.from({ length: 12 }, () => newUser()));
    const link = await newLink([admin]);
    const answers = await Promise.all(guests.map((guest) => join(link, guest)));
    expect(outcomes(answers)).toEqual(Array(12).fill("200"));
    const events = await told(admin, "member-join", 12);
    const times = events.map(({ time }) => String(time));
    expect(times).toEqual([...new Set(times)].sort());
  });
});

describe.concurrent("the preview of a conversation", () => {
  it("shows its name to those who could join, and does not let them in", async () => {
    const [admin, guest] = await Promise.all([newUser(), newUser()]);
    const link = await newLink([admin], { name: "Engines" });
    const { body } = await preview(link, guest);
    expect(body).toEqual({ id: link.id, name: "Engines", has_password: false });
    expect(await isMember(link, guest)).toBe(false);
    expect((await preview(link, admin)).status).toBe(200);
  });

  it("reports refused access before it reports that the feature is off", async () => {
    const [team, user] = await Promise.all([newTeam(), newUser()]);
    const link = await newLink([team.owner], { team, accessRoles: ["team_member", "guest"] });
    await switchFeature(team, "disabled");
    expect(outcome(await preview(link, user))).toBe("403 no-team-member");
    expect(outcome(await join(link, user))).toBe("409 guest-links-disabled");
  });
});
