import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, register, type User } from "../../support/users.ts";

const { store } = conversationData();

type Caller = Pick<User, "token">;

const everybody = ["team_member", "non_team_member", "guest", "service"];
const standardRoles = ["team_member", "non_team_member", "service"];

const setAccess = (
  { token }: Caller,
  cid: string,
  access_role: unknown,
  access: unknown = ["invite"],
  domain = localDomain,
) => api("PUT", `/v3/conversations/${domain}/${cid}/access`, { token, json: { access, access_role } });

const eventsOf = ({ token }: Caller) => storedEvents(token, /^conversation\./);
const memberIdsOf = async (cid: string) =>
  (await store.getPopulated(cid))?.members.map(({ userId }) => userId) ?? [];

/** A user without a verified identity. */
async function newAnonymous(): Promise<{ id: string }> {
  const { body } = await register({ name: "Guest", expires_in: 3600 });
  return { id: body.id };
}

describe.concurrent("PUT /conversations/{domain}/{cid}/access", () => {
  it("answers with the event that members get, in the older form", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada, bob]);
    const { status, body } = await setAccess(ada, id, everybody, ["code", "invite", "code"]);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        type: "conversation.access-update",
        from: ada.id,
        data: { access: ["invite", "code"], access_role: "non_activated", access_role_v2: everybody },
      },
    });
    await eventually(async () => {
      for (const user of [ada, bob]) expect(await eventsOf(user)).toEqual([body]);
    });
    expect(await store.get(id)).toMatchObject({ access: ["invite", "code"], accessRoles: everybody });
  });

  it("returns 204 and sends no event when access and roles are unchanged, in any order", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    const before = await store.get(id);
    expect((await setAccess(user, id, standardRoles.toReversed(), ["invite", "invite"])).status).toBe(204);
    expect(await store.get(id)).toEqual(before);
  });

  it("removes guests when it admits only members of the team", async () => {
    const team = await newTeam();
    const [member, guest] = await Promise.all([team.add(), newUser()]);
    const { id } = await newConversation([team.owner, member, guest], { team });
    const { body: update } = await setAccess(team.owner, id, ["team_member"]);
    const leave = {
      ...update,
      type: "conversation.member-leave",
      time: expect.any(String),
      data: {
        reason: "removed",
        qualified_user_ids: [{ domain: localDomain, id: guest.id }],
        user_ids: [guest.id],
      },
    };
    await eventually(async () => {
      for (const user of [team.owner, member, guest]) expect(await eventsOf(user)).toEqual([update, leave]);
    });
    const [, told] = await eventsOf(member);
    expect(Date.parse(String(told?.time))).toBeGreaterThan(Date.parse(update.time));
    expect(await memberIdsOf(id)).toEqual([team.owner.id, member.id].toSorted());
    const rename = (user: Caller) =>
      api("PUT", `/conversations/${id}`, { token: user.token, json: { name: "Ours" } });
    expect(outcome(await rename(guest))).toBe("404 no-conversation");
    expect((await store.listOfUser(guest.id, { limit: 10 })).length).toBe(0);
    expect(await store.get(id)).toMatchObject({ memberCount: 2 });
  });

  it("removes the guest link unless the access includes `code`", async () => {
    const [user, guest] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([user], {
      access: ["invite", "code"],
      accessRoles: ["non_team_member"],
    });
    const create = () => api("POST", `/conversations/${id}/code`, { token: user.token });
    const { key, code } = (await create()).body.data;
    const preview = () => api("GET", `/conversations/join?${new URLSearchParams({ key, code })}`, guest);

    expect((await setAccess(user, id, ["non_team_member", "guest"], ["code"])).status).toBe(200);
    expect(outcome(await preview())).toBe("200");
    expect((await setAccess(user, id, ["non_team_member", "guest"], ["invite"])).status).toBe(200);
    expect(outcome(await preview())).toBe("404 no-conversation-code");
    expect((await setAccess(user, id, ["non_team_member", "guest"], ["invite", "code"])).status).toBe(200);
    expect(outcome(await preview())).toBe("404 no-conversation-code");
    expect((await create()).body.data.code).not.toBe(code);
  });

  it("removes members of the team, even the one who makes the change, when it admits only others", async () => {
    const team = await newTeam();
    const guest = await newUser();
    const { id } = await newConversation([team.owner, guest], { team });
    expect((await setAccess(team.owner, id, ["non_team_member"])).status).toBe(200);
    expect(await memberIdsOf(id)).toEqual([guest.id]);
    await eventually(async () =>
      expect((await eventsOf(team.owner)).map(({ type }) => type)).toEqual([
        "conversation.access-update",
        "conversation.member-leave",
      ]),
    );
  });

  it("removes users without a verified identity where guests are not admitted, even without a team", async () => {
    const [user, anonymous] = await Promise.all([newUser(), newAnonymous()]);
    const { id } = await newConversation([user, anonymous], {
      accessRoles: ["team_member", "non_team_member", "guest", "service"],
    });
    expect((await setAccess(user, id, standardRoles)).status).toBe(200);
    expect(await memberIdsOf(id)).toEqual([user.id]);
  });

  it("removes bots where services are not admitted, each in its own name", async () => {
    const user = await newUser();
    const { id } = await newConversation([user], { accessRoles: ["non_team_member", "service"] });
    const botId = randomUUID();
    await addBot(id, botId);
    expect((await setAccess(user, id, ["non_team_member", "guest"])).status).toBe(200);
    expect(await memberIdsOf(id)).toEqual([user.id]);
    await eventually(async () => {
      expect((await eventsOf(user)).at(-1)).toMatchObject({
        type: "conversation.member-leave",
        from: botId,
        data: { user_ids: [botId] },
      });
    });
  });

  it("removes only those who are not admitted", async () => {
    const team = await newTeam();
    const [guest, anonymous] = await Promise.all([newUser(), newAnonymous()]);
    const { id } = await newConversation([team.owner, guest, anonymous], { team });
    await addBot(id, randomUUID());
    expect((await setAccess(team.owner, id, everybody, ["invite", "code"])).status).toBe(200);
    expect(await memberIdsOf(id)).toHaveLength(4);
  });

  it.each([
    ["private access", standardRoles, ["private"], "403 invalid-op"],
    ["private access among others", standardRoles, ["invite", "private"], "403 invalid-op"],
    ["no roles", [], ["invite"], "403 invalid-op"],
  ])("answers %s", async (_, roles, access, expected) => {
    const team = await newTeam();
    const { id } = await newConversation([team.owner], { team, access: ["invite", "code"] });
    expect(outcome(await setAccess(team.owner, id, roles, access))).toBe(expected);
  });

  it("cannot restrict a group to a team that it does not have", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    expect(outcome(await setAccess(user, id, ["team_member"]))).toBe("403 invalid-op");
    expect((await setAccess(user, id, ["team_member", "service"])).status).toBe(200);
  });

  it("is refused to members without the role, to strangers, for other domains and for one-to-one conversations", async () => {
    const [ada, bob, stranger] = await Promise.all([newUser(), newUser(), newUser()]);
    const { id } = await newConversation([ada, bob], { roles: { [bob.id]: "member" } });
    expect(outcome(await setAccess(bob, id, everybody))).toBe("403 action-denied");
    expect(outcome(await setAccess(stranger, id, []))).toBe("404 no-conversation");
    expect(outcome(await setAccess(ada, id, everybody, ["invite"], "elsewhere.example"))).toBe(
      "422 federation-not-implemented",
    );
    const pair = await newConversation([ada, bob], {
      type: "one-to-one",
      access: ["private"],
      accessRoles: [],
    });
    expect(outcome(await setAccess(ada, pair.id, everybody))).toBe("403 invalid-op");
  });

  it("lets an admin of the team set the access of channels that the admin is in", async () => {
    const team = await newTeam();
    const [member, admin] = await Promise.all([team.add(), team.add("admin")]);
    const { id } = await newConversation([member, admin], {
      team,
      groupType: "channel",
      protocol: "mls",
      roles: { [admin.id]: "member" },
    });
    expect(outcome(await setAccess(team.owner, id, everybody))).toBe("404 no-conversation");
    expect((await setAccess(admin, id, everybody)).status).toBe(200);
  });
});

/** Let a bot be in a conversation. */
async function addBot(cid: string, userId: string): Promise<void> {
  const found = await store.get(cid);
  if (found === undefined) throw new Error("There is no such conversation");
  const service = { id: randomUUID(), provider: randomUUID() };
  await store.storeMembers(found, [{ conversationId: cid, userId, role: "admin", service }]);
}

describe.concurrent("access before version 3", () => {
  it.each([
    [{ access_role: "team" }, ["team_member"]],
    [{ access_role: "non_activated" }, everybody],
    [{ access_role: "team", access_role_v2: ["team_member", "guest"] }, ["team_member", "guest"]],
    [{}, standardRoles],
  ])("accepts %j", async (roles, expected) => {
    const team = await newTeam();
    for (const path of [`/v2/conversations/${localDomain}/`, "/v2/conversations/", "/v0/conversations/"]) {
      const { id } = await newConversation([team.owner], { team });
      const json = { access: ["invite", "link"], ...roles };
      const answer = await api("PUT", `${path}${id}/access`, { token: team.owner.token, json });
      expect(answer).toMatchObject({ status: 200, body: { data: { access_role_v2: expected } } });
      expect((await store.get(id))?.accessRoles).toEqual(expected);
    }
  });

  it("has no unqualified form from version 3 on", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    const json = { access: ["invite"], access_role: standardRoles };
    expect((await api("PUT", `/v3/conversations/${id}/access`, { token: user.token, json })).status).toBe(
      404,
    );
  });
});
